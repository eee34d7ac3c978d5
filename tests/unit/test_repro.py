"""What `kgate repro` prints below its verdict: where the tensors lie, and what to type for a second look."""

import shlex
from pathlib import Path

import pytest

from kgate.model import FALLBACK, HEAD, REFERENCE, Arm, Case, Tree
from kgate.repro import Found, lines
from kgate.runner.kit import Kit
from kgate.runner.place import Workplace
from tests.unit.builders import answer

CASE = Case(kernel="add", workload="tail", device="cpu")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("head.inputs.pt", "head.outputs.pt", "reference.inputs.pt", "reference.outputs.pt"):
        (folder / name).touch()
    workplace = Workplace(
        python={Tree.HEAD: "/venv/bin/python"}, trees={Tree.HEAD: folder}, folder=folder, device="cpu"
    )
    return Kit(workplace=workplace, arm=HEAD, case=CASE.name)


def said(kit: Kit, arm: Arm, mark: str) -> list[str]:
    found = lines(kit, CASE, arm, Found(outcome=answer()), "m:f")
    return [line.removeprefix(mark) for line in found if line.startswith(mark)]


@pytest.mark.parametrize(
    ("arm", "names"),
    [
        (HEAD, ["head.inputs.pt", "head.outputs.pt", "reference.inputs.pt", "reference.outputs.pt"]),
        (FALLBACK, ["reference.inputs.pt", "reference.outputs.pt"]),
        (REFERENCE, ["reference.inputs.pt", "reference.outputs.pt"]),
    ],
)
def test_each_file_that_was_kept_is_named_once(kit: Kit, arm: Arm, names: list[str]) -> None:
    assert said(kit, arm, "kept: ") == [str(kit.folder / name) for name in names]


def test_the_command_for_a_second_look_can_be_pasted_into_a_shell(kit: Kit) -> None:
    (command,) = said(kit, HEAD, "again: ")

    assert shlex.split(command) == ["/venv/bin/python", str(kit.folder / "repro.py")]
