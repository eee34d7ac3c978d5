"""Forked workers: what they answer, when a plain process takes over, and that nothing is left of any of them."""

import sys
import threading
import time
from pathlib import Path

import pytest

from kgate.model import BASE, FALLBACK, HEAD, Failure, Measurement
from kgate.runner import zygote
from kgate.runner.outputs import run_outputs
from kgate.runner.process import members
from kgate.runner.zygote import Zygotes, by_tree

pytestmark = pytest.mark.real
FAKES = Path(__file__).parent / "fakes"


def zygotes(stage, child: str, limits, script: str = "zygote", **choices) -> Zygotes:
    def argv(workplace, arm, path, preload):
        return (sys.executable, str(FAKES / f"{script}.py"), str(path), str(FAKES / f"{child}.py"))

    return Zygotes((), stage.events.append, argv=argv, limits=limits, **choices)


@pytest.fixture
def plain(monkeypatch, stage):
    """What takes over when a zygote is given up."""
    monkeypatch.setattr(zygote, "fresh", stage.playing("honest"))


def test_a_forked_child_answers_like_a_process_of_its_own(workplace, stage, limits, job):
    with zygotes(stage, "honest", limits) as forks:
        outcomes = run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=forks.start)
        parent = forks.living[HEAD, 0].process.pid

    assert isinstance(outcomes["first"], Measurement)
    assert stage.named("note") == []
    assert members(parent) == []


def test_a_forked_child_that_crashes_late_costs_one_case_and_is_forked_again(workplace, stage, limits, job):
    jobs = [job("first"), job("bad"), job("last")]

    with zygotes(stage, "crashes", limits) as forks:
        outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=forks.start, limits=limits)

    assert isinstance(outcomes["bad"], Failure)
    assert outcomes["bad"].reason == "died"
    assert isinstance(outcomes["last"], Measurement)
    assert stage.named("note") == []


@pytest.mark.usefixtures("plain")
def test_a_forked_child_that_fails_at_once_is_tried_again_as_a_plain_process(workplace, stage, limits, job):
    with zygotes(stage, "crashes", limits) as forks:
        outcomes = run_outputs(workplace, HEAD, [job("bad")], {}, stage.events.append, start=forks.start, limits=limits)

    assert isinstance(outcomes["bad"], Measurement)
    assert len(stage.named("note")) == 1
    assert "plain processes are used instead" in stage.named("note")[0]["text"]


@pytest.mark.usefixtures("plain")
def test_a_zygote_that_does_not_come_up_is_replaced_by_plain_processes(workplace, stage, limits, job):
    with zygotes(stage, "honest", limits, script="never_begins") as forks:
        outcomes = run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=forks.start)

    assert isinstance(outcomes["first"], Measurement)
    assert "does not listen" in stage.named("note")[0]["text"]


def test_arms_of_a_tree_can_share_a_zygote_but_never_their_caches(workplace, stage, limits, job):
    with zygotes(stage, "tells_caches", limits, shared_by=by_tree) as forks:
        told = {
            arm: run_outputs(workplace, arm, [job("first")], {}, stage.events.append, start=forks.start)["first"]
            for arm in (HEAD, FALLBACK, BASE)
        }
        living = len(forks.living)

    assert living == 2
    assert {arm: Path(outcome.facts["note"]).parent.name for arm, outcome in told.items()} == {
        HEAD: "head",
        FALLBACK: "fallback",
        BASE: "base",
    }


def test_forks_take_the_zygotes_of_an_arm_in_turn(workplace, stage, limits, job):
    with zygotes(stage, "honest", limits, clusters=2) as forks:
        for _ in range(3):
            run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=forks.start)
        living = [z.process.pid for z in forks.living.values()]
        forked = [len(z.forked) for z in forks.living.values()]

    assert forked == [2, 1]
    assert [members(pid) for pid in living] == [[], []]


def test_a_zygote_that_died_is_replaced_and_nothing_of_it_stays(workplace, stage, limits, job):
    with zygotes(stage, "honest", limits) as forks:
        run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=forks.start)
        dead = forks.living[HEAD, 0]
        dead.lose()
        again = run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=forks.start)
        living = forks.living[HEAD, 0]

    assert isinstance(again["first"], Measurement)
    assert living is not dead
    assert dead.connection.fileno() == -1
    assert not dead.path.exists()


def test_no_process_comes_of_zygotes_that_have_been_left(workplace, stage, limits, tmp_path):
    with zygotes(stage, "honest", limits) as forks:
        pass

    with pytest.raises(OSError, match="canceled"):
        forks.start(workplace, HEAD, tmp_path)
    assert forks.living == {}


def test_a_thread_that_waits_for_a_zygote_hears_at_once_that_they_are_left(
    workplace, stage, limits, tmp_path, monkeypatch
):
    plainly = []
    monkeypatch.setattr(zygote, "fresh", lambda *_: plainly.append(1))
    heard = []

    def work():
        with pytest.raises(OSError, match="canceled") as raised:
            forks.start(workplace, HEAD, tmp_path)
        heard.append(raised.value)

    with zygotes(stage, "honest", limits, script="zygote_silent") as forks:
        thread = threading.Thread(target=work)
        thread.start()
        while not forks.living:
            time.sleep(0.01)
    thread.join(limits.startup_s / 2)

    assert len(heard) == 1
    assert plainly == []
    assert stage.events == []
