"""What of the environment a second run must have in common with the first to go on with it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kgate import premises
from kgate.key import environment
from kgate.model import Tree
from kgate.runner.ledger import Ledger
from kgate.runner.place import Workplace
from kgate.setting import Setting
from tests.unit import ledgers

PLAIN = {"PATH": "/nowhere", "HOME": "/home/kim", "LANG": "C.UTF-8", "CC": "gcc", "OMP_NUM_THREADS": "2"}


def place(*named: str) -> Workplace:
    trees = dict.fromkeys(Tree, Path("/tree"))
    python = dict.fromkeys(Tree, "python")
    return Workplace(python=python, trees=trees, folder=Path("/run"), device="cuda:0", pass_env=named)


@pytest.mark.parametrize(
    "name", ["LANG", "LC_ALL", "LC_NUMERIC", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR", "VIRTUAL_ENV", "EDITOR"]
)
def test_who_runs_it_and_in_which_language_makes_no_difference_unless_the_manifest_names_it(name: str) -> None:
    changed = {**PLAIN, name: "another"}

    assert environment(place(), changed) == environment(place(), PLAIN)
    assert environment(place(name), changed) != environment(place(name), PLAIN)


@pytest.mark.parametrize("name", ["HOME", "CC", "OMP_NUM_THREADS", "CUDA_HOME", "LD_LIBRARY_PATH", "TRITON_INTERPRET"])
def test_what_compilers_and_libraries_read_makes_a_difference(name: str) -> None:
    assert environment(place(), {**PLAIN, name: "another"}) != environment(place(), PLAIN)


def test_of_path_there_counts_which_compilers_it_leads_to(tmp_path: Path) -> None:
    real, link, other = (tmp_path / name for name in ("real", "link", "other"))
    for folder in (real, link, other):
        folder.mkdir()
    for folder in (real, other):
        (folder / "nvcc").write_text("")
        (folder / "nvcc").chmod(0o755)
    (link / "nvcc").symlink_to(real / "nvcc")

    found = [environment(place(), {**PLAIN, "PATH": path}) for path in (f"{real}", f"/bin-of-mine:{link}", f"{other}")]

    assert found[0]["nvcc on PATH"] == os.path.realpath(real / "nvcc")
    assert found[0] == found[1] != found[2]


def begun(folder: Path, key: str, monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[str, ...]:
    """What a run of this key remarks when it begins with these variables; its premises are left for the next one."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with Ledger.open(folder / f"{key}.jsonl") as ledger:
        made: Setting = replace(ledgers.setting(ledger), folder=folder / key, workplace=place())
        found = premises.begun_anew(made)
        premises.record(made)
    return found


def test_a_run_that_the_environment_alone_keeps_from_going_on_says_which_variables_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = begun(tmp_path, "a" * 16, monkeypatch, CUDA_HOME="/cuda-12", LANG="C")

    again = begun(tmp_path, "b" * 16, monkeypatch, CUDA_HOME="/cuda-13", LANG="de_DE.UTF-8")
    drills = begun(tmp_path, "c" * 16 + "-drills", monkeypatch, CUDA_HOME="/cuda-14")

    assert first == drills == ()
    assert again == ("begun anew: an earlier run of the same commits had another CUDA_HOME",)


def test_what_is_no_ledger_and_what_is_of_other_commits_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{'0' * 16}.jsonl").write_text("no line of a ledger\n")
    begun(tmp_path, "a" * 16, monkeypatch, CUDA_HOME="/cuda-12")
    monkeypatch.setenv("CUDA_HOME", "/cuda-13")

    with Ledger.open(tmp_path / f"{'b' * 16}.jsonl") as ledger:
        made = replace(ledgers.setting(ledger), folder=tmp_path / ("b" * 16), workplace=place())
        other = replace(made, head=replace(made.head, commit="f" * 40))

        assert premises.begun_anew(other) == ()
        assert premises.begun_anew(made) != ()
