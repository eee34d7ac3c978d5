"""Ctrl-C, SIGTERM and SIGKILL at any moment: no process is left, and the same command goes on from what is known."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.check.shop import GOOD, Shop, left_after, workers

pytestmark = pytest.mark.real

KILLS = 10
SEED = 20261130
GONE_S = 3.0
SAID = "kgate: interrupted; what was measured is kept, the same command goes on from there"
COMMAND = ("check", "--launches", "2")
# Slow enough to be met in the middle, in every arm and every launch.
SLOW = "import time\n\n\ndef kernel(x):\n    time.sleep(0.02)\n    return x + x\n"


def records(shop: Shop) -> list[tuple[str, str, str]]:
    """
    Kind, name and value of every whole line of the only ledger that tells what was found, not what the run is about, in
    order; none if there is no ledger yet.
    """
    found = []
    for ledger in (shop.root / ".kgate").glob("*.jsonl"):
        for line in ledger.read_bytes().split(b"\n")[:-1]:
            entry = json.loads(line)
            if entry["kind"] not in ("premises", "attempt", "ownership"):
                found.append((entry["kind"], entry["name"], json.dumps(entry["value"], sort_keys=True)))
    return found


def started_work(shop: Shop, process: "subprocess.Popen[str]", records_wanted: int) -> None:
    """Wait until the run has this many records and a worker that lives."""
    while process.poll() is None and not (len(records(shop)) >= records_wanted and workers(shop.root)):
        time.sleep(0.02)
    assert process.poll() is None, process.communicate()


def identities(report: dict[str, Any]) -> set[tuple[str, str, bool]]:
    return {(f["rule"], f["name"], f["blocks"]) for f in report["findings"]}


@pytest.fixture
def slow(stocked: Callable[..., Shop], tmp_path: Path) -> Shop:
    kernels = {"slow": SLOW, "wrong": GOOD}
    return stocked(tmp_path / "shop", kernels, {**kernels, "wrong": "def kernel(x):\n    return x + 1\n"})


@pytest.mark.nightly
def test_ctrl_c_and_sigterm_keep_what_is_known_and_leave_nobody_behind(slow: Shop) -> None:
    for sent, wanted in ((signal.SIGINT, 3), (signal.SIGTERM, 12)):
        process = slow.started(*COMMAND)
        started_work(slow, process, wanted)
        os.kill(process.pid, sent)

        out, err = process.communicate(timeout=20)

        assert process.returncode == 130
        assert out == ""
        assert err.strip() == SAID
        assert left_after(slow.root, 0) == []

    before = records(slow)
    ended = slow.kgate(*COMMAND)

    assert ended.code == 1
    assert ended.report["resumed"] >= 12
    assert records(slow)[: len(before)] == before


def test_ctrl_c_at_a_terminal_reaches_the_whole_group_and_ends_as_well(slow: Shop) -> None:
    process = slow.started(*COMMAND)
    started_work(slow, process, 3)
    os.killpg(process.pid, signal.SIGINT)

    _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert err.strip() == SAID
    assert left_after(slow.root, 0) == []


@pytest.mark.nightly
def test_a_second_ctrl_c_changes_nothing_any_more(slow: Shop) -> None:
    process = slow.started(*COMMAND)
    started_work(slow, process, 1)
    os.kill(process.pid, signal.SIGINT)
    assert process.stderr is not None
    said = [process.stderr.readline(), process.stderr.readline()]
    for again in (signal.SIGINT, signal.SIGTERM):
        os.kill(process.pid, again)

    _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert ("".join(said) + err).strip() == SAID


@pytest.mark.nightly
def test_kills_at_random_moments_lose_nothing_and_measure_nothing_twice(
    slow: Shop, stocked: Callable[..., Shop], tmp_path: Path
) -> None:
    began = time.monotonic()
    undisturbed = slow.kgate(*COMMAND)
    whole_s = time.monotonic() - began
    expected = Counter((kind, name) for kind, name, _ in records(slow))
    killed = Shop(root=tmp_path / "killed", python=slow.python)
    slow.git("clone", "--quiet", os.fspath(slow.root), os.fspath(killed.root))
    draw = random.Random(SEED)

    known: list[tuple[str, str, str]] = []
    for _ in range(KILLS):
        process = killed.started(*COMMAND)
        time.sleep(draw.uniform(0.1, whole_s / 3))
        process.kill()
        process.communicate()
        assert left_after(killed.root, GONE_S) == []
        now = records(killed)
        assert now[: len(known)] == known
        known = now
    ended = killed.kgate(*COMMAND)

    assert ended.code == undisturbed.code == 1, ended.err
    assert identities(ended.report) == identities(undisturbed.report)
    assert records(killed)[: len(known)] == known
    counted = Counter((kind, name) for kind, name, _ in records(killed))
    assert {key: n for key, n in counted.items() if key[0] in ("outcome", "launch")} == {
        key: n for key, n in expected.items() if key[0] in ("outcome", "launch")
    }


@pytest.mark.nightly
def test_after_kills_git_and_the_state_folder_are_as_after_a_quiet_run(slow: Shop) -> None:
    for seconds in (0.4, 1.0, 2.5, 4.0):
        process = slow.started(*COMMAND)
        time.sleep(seconds)
        process.kill()
        process.communicate()

    ended = slow.check()

    assert ended.code == 1, ended.err
    assert slow.git("status", "--porcelain") == ""
    assert len(slow.git("worktree", "list").splitlines()) == 1
    left = {p.name for p in (slow.root / ".kgate").iterdir() if p.suffix != ".jsonl"}
    assert left == {".gitignore", "last", "lock", "trees"}
    assert list((slow.root / ".kgate" / "trees").iterdir()) == []


def test_a_second_run_at_the_same_time_is_refused_in_one_sentence_and_the_first_goes_on(slow: Shop) -> None:
    first = slow.started(*COMMAND)
    started_work(slow, first, 1)

    second = slow.kgate("check", "--base", "none", "--kernel", "wrong")

    assert second.code == 3
    assert second.err.count("\n") == 1
    assert "another run in this repository is using it; wait for that run to end" in second.err
    assert first.poll() is None
    first.send_signal(signal.SIGINT)
    assert slow.ended(first).code == 130
