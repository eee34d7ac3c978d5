"""The state folder: one run at a time, and nothing kept that no run will read again."""

import os
import time
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.runner.state import DAY_S, LEDGER_DAYS, OUTPUTS_DAYS, folder_at, hold, sweep


def run_of(state: Path, key: str, age_days: float) -> None:
    (state / key).mkdir()
    ledger = state / f"{key}.jsonl"
    ledger.write_text("")
    then = time.time() - age_days * DAY_S
    os.utime(ledger, (then, then))


def test_git_does_not_see_the_folder(tmp_path: Path) -> None:
    state = folder_at(tmp_path)

    assert state == tmp_path / ".kgate"
    assert (state / ".gitignore").read_text() == "*\n"


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / ".kgate").write_text("")

    with pytest.raises(HostError, match=r"\.kgate: cannot be written \(File exists\)"):
        folder_at(tmp_path)


def test_a_second_run_is_told_to_wait_until_the_first_lets_go(tmp_path: Path) -> None:
    first = hold(tmp_path)

    with pytest.raises(HostError, match="another run in this repository is using it; wait"):
        hold(tmp_path)
    os.close(first)

    os.close(hold(tmp_path))


def test_old_runs_lose_their_outputs_first_and_their_ledgers_later(tmp_path: Path) -> None:
    run_of(tmp_path, "fresh", 0)
    run_of(tmp_path, "stale", OUTPUTS_DAYS + 1)
    run_of(tmp_path, "ancient", LEDGER_DAYS + 1)

    sweep(tmp_path, "own")

    assert sorted(p.name for p in tmp_path.iterdir()) == ["fresh", "fresh.jsonl", "stale.jsonl"]


def test_a_run_never_sweeps_its_own_away_however_old(tmp_path: Path) -> None:
    run_of(tmp_path, "own", LEDGER_DAYS + 1)

    sweep(tmp_path, "own")

    assert sorted(p.name for p in tmp_path.iterdir()) == ["own", "own.jsonl"]


def test_what_a_killed_probe_left_goes_at_once(tmp_path: Path) -> None:
    (tmp_path / "probe-abc" / "control").mkdir(parents=True)

    sweep(tmp_path, "own")

    assert list(tmp_path.iterdir()) == []
