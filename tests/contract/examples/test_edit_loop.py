"""`examples/edit_loop.py`: what it chooses by, when it gives up, and once for real on the gallery."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import dispatcher
from tests.contract.examples.conftest import ROOT, git

pytestmark = pytest.mark.real

SCRIPT = ROOT / "examples" / "edit_loop.py"
CHEAP, WIDE, FULL = ("--base", "none"), ("--kernel", "k"), ("--full",)


@pytest.fixture
def edit_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(os.fspath(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("edit_loop", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["edit_loop"] = module  # its dataclasses look there for their own module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["edit_loop"], sys.modules["stage"]


def failed(rung: str, then: str = "", *, case: str = "add/tail@cpu", arm: str = "head") -> dict[str, Any]:
    told = {"reason": "", "text": "wrong", "next": then}
    return {"event": "rung-ended", "case": case, "arm": arm, "rung": rung, "ok": False, "ns": 0, **told}


def run_of(*events: dict[str, Any]) -> list[dict[str, Any]]:
    verdict = "fail" if events else "pass"
    return [*events, {"event": "run-ended", "verdict": verdict}]


class Bench:
    """A kernel that is only told of: what its runs say, by the edit that is applied."""

    def __init__(self, edit_loop: ModuleType, runs: dict[str, Sequence[list[dict[str, Any]]]]) -> None:
        self.runs = {name: list(events) for name, events in runs.items()}
        self.applied: list[str] = []
        self.flags: list[Sequence[str]] = []
        self.order: list[str] = []
        self.loop = edit_loop.Loop(check=self.check, apply=self.apply, undo=self.undo, say=lambda line: None)

    def check(self, flags: Sequence[str]) -> list[dict[str, Any]]:
        self.flags.append(flags)
        return self.runs["+".join(self.applied)].pop(0)

    def apply(self, path: Path) -> None:
        self.applied.append(path.stem)
        self.order.append(path.stem)

    def undo(self, path: Path) -> None:
        self.applied.remove(path.stem)


def test_the_next_edit_is_chosen_by_what_the_stream_says_and_wrong_ones_are_undone(edit_loop: ModuleType) -> None:
    made = [
        edit_loop.Edit(Path(f"{name}.patch"), rung, words)
        for name, rung, words in (
            ("never", "contract", "dtype"),
            ("misspelt", "correctness", "leave over"),
            ("lucky", "correctness", "leave over"),
            ("guard", "correctness", "last 10"),
        )
    ]
    tail = failed("correctness", "errors in the last 1 (what tiles of 8 leave over)")
    bench = Bench(
        edit_loop,
        {
            "": [run_of(tail)],
            "misspelt": [run_of(failed("compile", "mend the compile error"))],
            "lucky": [run_of(), run_of(failed("correctness", "errors in the last 10", case="add/odd@cpu"))],
            "guard": [run_of(), run_of(), run_of()],
        },
    )

    assert bench.loop.mended(made, CHEAP, WIDE, FULL)

    assert bench.order == ["misspelt", "lucky", "guard"]
    assert bench.applied == ["guard"]
    assert bench.flags == [
        WIDE,
        (*CHEAP, "--workload", "tail"),
        (*CHEAP, "--workload", "tail"),
        WIDE,
        (*CHEAP, "--workload", "odd"),
        WIDE,
        FULL,
    ]


def test_where_no_edit_fits_it_gives_up_and_leaves_the_tree_as_it_was(edit_loop: ModuleType) -> None:
    edit = edit_loop.Edit(Path("lucky.patch"), "correctness", "leave over")
    bench = Bench(
        edit_loop,
        {
            "": [run_of(failed("correctness", "what tiles of 8 leave over"))],
            "lucky": [run_of(), run_of(failed("correctness", "from end to end"))],
        },
    )

    assert not bench.loop.mended([edit], CHEAP, WIDE, FULL)

    assert bench.applied == []


def test_only_heads_own_rungs_count_and_the_lowest_comes_first(edit_loop: ModuleType) -> None:
    events = run_of(
        failed("import", arm="dispatch switch-on"), failed("correctness"), failed("run", case="add/odd@cpu")
    )

    found = edit_loop.symptom_of(events)

    assert (found.case, found.rung, found.workload) == ("add/odd@cpu", "run", "odd")


def test_every_patch_says_what_it_is_for(edit_loop: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "nameless.patch").write_text("--- a/x\n")

    assert {edit.rung for edit in edit_loop.edits_in(edit_loop.EDITS)} <= set(edit_loop.LADDER)
    with pytest.raises(ValueError, match=r"nameless.patch: begins without `For: RUNG \(WORDS\)`"):
        edit_loop.edits_in(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("mine", "For: run (x)\n", "is not empty: name a new folder"),
        ("edits/nameless.patch", "--- a/x\n", "nameless.patch: begins without `For: RUNG (WORDS)`"),
        ("edits/notes.txt", "", "edits: holds no patch to try; name a folder with some"),
    ],
    ids=["a folder in use", "a patch for nothing", "no patch"],
)
def test_what_cannot_be_begun_is_one_sentence_and_nothing_is_touched(
    edit_loop: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, said: str
) -> None:
    folder, edits = tmp_path / "folder", tmp_path / "edits"
    edits.mkdir()
    folder.mkdir()
    (folder / "mine" if name == "mine" else tmp_path / name).write_text(text)
    given = [] if name == "mine" else ["--edits", os.fspath(edits)]

    code = edit_loop.main([os.fspath(folder), "--python", "/nowhere/python", *given])

    assert code == 1
    assert said in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} <= {"mine"}


def test_patches_are_found_from_every_folder(
    edit_loop: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "edits").mkdir()
    (tmp_path / "edits" / "one.patch").write_text("For: run (x)\n")
    monkeypatch.chdir(tmp_path)

    (edit,) = edit_loop.edits_in(Path("edits"))

    assert edit.path == tmp_path / "edits" / "one.patch"


@pytest.mark.nightly
def test_it_mends_a_planted_tail_through_wrong_edits_to_pass(
    kernels_python: str, edit_loop: ModuleType, tmp_path: Path
) -> None:
    folder, edits = tmp_path / "gallery", tmp_path / "edits"
    # Each run is a dozen processes with torch: the edit that is right for one workload, and a second workload for it to
    # be wrong on, are left to the nightly.
    whole = "KGATE_NIGHTLY" in os.environ
    shutil.copytree(edit_loop.EDITS, edits, ignore=None if whole else shutil.ignore_patterns("2-*"))
    others = ("--workload", "logits") if whole else ()
    flags = ("--edits", os.fspath(edits), "--workload", "tail", *others, "--launches", "1")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((os.fspath(ROOT), dispatcher.path()))}

    done = subprocess.run(
        [sys.executable, os.fspath(SCRIPT), os.fspath(folder), "--python", kernels_python, *flags],
        check=False,
        capture_output=True,
        text=True,
        env=env,
    )

    said = done.stdout.splitlines()
    lucky = ["2-block-that-divides: fail"] if whole else []
    assert done.returncode == 0, done.stdout + done.stderr
    assert [step(line) for line in said if step(line) and not step(line).endswith(": pass")] == [
        "as it is: fail",
        "1-shorter-last-block: fail",
        *lucky,
    ]
    assert [step(line) for line in said[-4:-1]] == ["3-guarded-last-block: pass"] * 3
    assert said[-1] == "pass"
    assert "fails at compile compile-failed" in said[3]
    assert git(folder, "diff", "--name-only") == "gallery/vector_add/tilelang_.py"
    assert git(folder, "diff", "HEAD~1") == "", "the guard is what it was before the fault"


def step(line: str) -> str:
    """`EDIT: VERDICT` of a line that tells of a run, else ""."""
    name, _, rest = line.partition(": kgate check ")
    return f"{name}: {rest.rpartition(': ')[2]}" if rest else ""
