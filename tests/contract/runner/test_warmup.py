"""First calls made side by side: every arm's cases are called, and what fails stays unsaid."""

import sys
import threading
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.model import BASE, HEAD
from kgate.runner import warmup
from kgate.runner.process import members
from kgate.runner.warmup import fill_caches
from kgate.runner.zygote import Zygotes, by_tree

pytestmark = pytest.mark.real
FAKES = Path(__file__).parent / "fakes"


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    monkeypatch.setattr(warmup.os, "cpu_count", lambda: 6)


def forks_of(stage, child, limits):
    def argv(workplace, arm, path, preload):
        return (sys.executable, str(FAKES / "zygote.py"), str(path), str(FAKES / f"{child}.py"))

    return Zygotes((), stage.events.append, argv=argv, limits=limits, shared_by=by_tree)


def test_children_of_one_zygote_answer_side_by_side_each_for_its_own_cases(workplace, stage, limits, job):
    names = [f"case{i}" for i in range(9)]
    jobs = {HEAD: [job(name) for name in names], BASE: [job(name) for name in names[:5]]}

    with forks_of(stage, "honest", limits) as forks:
        warmed = fill_caches(workplace, jobs, forks.start)
        parents = [zygote.process.pid for zygote in forks.living.values()]

    assert set(warmed) == {(HEAD, name) for name in names} | {(BASE, name) for name in names[:5]}
    assert stage.events == []
    assert [members(parent) for parent in parents] == [[] for _ in parents]


def test_a_case_that_crashes_is_left_out_and_costs_no_other(workplace, stage, limits, job):
    jobs = {HEAD: [job("first"), job("bad"), job("last"), job("more")]}

    with forks_of(stage, "crashes", limits) as forks:
        warmed = fill_caches(workplace, jobs, forks.start)

    assert {case for _, case in warmed} >= {"first", "last", "more"}
    assert (HEAD, "bad") not in warmed


def test_nothing_to_call_is_nothing_called(workplace, stage):
    assert fill_caches(workplace, {HEAD: []}, stage.playing("honest")) == {}


def test_what_one_of_the_threads_raises_is_raised_while_others_are_still_at_work(workplace, job):
    free = threading.Event()
    waited_for = []

    def start(place, arm, control):
        if arm == BASE:
            raise HostError("no room")
        free.wait(20)
        waited_for.append(arm)
        raise OSError("too late")

    try:
        with pytest.raises(HostError, match="no room"):
            fill_caches(workplace, {HEAD: [job("slow")], BASE: [job("full")]}, start)
        assert waited_for == []
    finally:
        free.set()
