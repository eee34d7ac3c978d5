"""The command lines of tools, and what is believed of an arm that ran under one."""

from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.model import HEAD, Failure, Measurement, Tree, of_base
from kgate.protocol import VERSION, Begin, Bye, End, Failed, Hello, Output, encode
from kgate.runner import tools
from kgate.runner.kit import Kit
from kgate.runner.place import Workplace

CASE = "add/tail@cpu"
PYTHONS = {Tree.HEAD: "/venv/bin/python", Tree.BASE: "/base/bin/python"}


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    trees = {Tree.HEAD: tmp_path, Tree.BASE: tmp_path}
    (tmp_path / "head" / "out").mkdir(parents=True)
    workplace = Workplace(python=PYTHONS, trees=trees, folder=tmp_path, device="cpu")
    return Kit(workplace=workplace, arm=HEAD, case=CASE)


def test_pdb_is_the_interpreters_own(kit: Kit) -> None:
    assert tools.command("pdb", kit, HEAD) == ("/venv/bin/python", "-m", "pdb", f"{kit.folder}/repro.py", "head")


def test_ncu_leaves_its_report_beside_the_script(kit: Kit) -> None:
    said = " ".join(tools.command("ncu", kit, of_base(HEAD)))

    assert said.startswith("ncu ")
    assert said.endswith(f" --export {kit.folder}/base /base/bin/python {kit.folder}/repro.py base")


def test_compute_sanitizer_turns_what_it_finds_into_an_exit_code(kit: Kit) -> None:
    said = tools.command("compute-sanitizer", kit, HEAD)

    assert said[:5] == ("compute-sanitizer", "--target-processes", "all", "--error-exitcode", "1")
    assert said[5:] == ("/venv/bin/python", f"{kit.folder}/repro.py", "head")


def test_a_tool_that_is_not_here_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    tools.look_for("pdb")
    with pytest.raises(HostError, match=r"^not run: ncu is not on PATH; it comes with the CUDA toolkit$"):
        tools.look_for("ncu")


def replied(kit: Kit, *replies) -> None:
    lines = [encode(reply) for reply in (Hello(pid=1, version=VERSION), Begin(case=CASE), *replies)]
    (kit.folder / "head" / "replies.jsonl").write_bytes(b"".join(lines))


def test_an_answer_is_read_from_the_arms_folder(kit: Kit) -> None:
    (kit.folder / "head" / "out" / "output0.bin").write_bytes(bytes(8))
    output = Output(case=CASE, index=0, file="output0.bin", dtype="float32", shape=(2,), strides=(1,), device="cpu")
    replied(kit, output, End(case=CASE), Bye(cases=1))

    found = tools.answer(kit, HEAD, 0)

    assert isinstance(found, Measurement)
    assert [tensor.path.read_bytes() for tensor in found.outputs] == [bytes(8)]


def test_a_file_that_is_not_what_was_promised_is_not_believed(kit: Kit) -> None:
    (kit.folder / "head" / "out" / "output0.bin").write_bytes(bytes(7))
    output = Output(case=CASE, index=0, file="output0.bin", dtype="float32", shape=(2,), strides=(1,), device="cpu")
    replied(kit, output, End(case=CASE), Bye(cases=1))

    found = tools.answer(kit, HEAD, 0)

    assert isinstance(found, Failure)
    assert found.reason == "bad-reply"


def test_an_arm_that_raised_under_a_tool_failed_as_it_says(kit: Kit) -> None:
    replied(kit, Failed(case=CASE, rung="run", reason="raised", text="ValueError: no"), Bye(cases=1))

    assert tools.answer(kit, HEAD, 1) == Failure(rung="run", reason="raised", text="ValueError: no")


def test_an_arm_that_did_not_come_to_an_answer_is_told_by_its_end(kit: Kit) -> None:
    replied(kit)

    found = tools.answer(kit, HEAD, -11)

    assert isinstance(found, Failure)
    assert (found.reason, found.text) == ("died", "was ended by signal 11 (SIGSEGV)")
