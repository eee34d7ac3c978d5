"""How a short case is timed is one choice for all arms, and stays what it was."""

import struct

import pytest

from kgate.model import BASE, HEAD
from kgate.protocol import BATCH, GRAPH, SINGLE, seed_of_call
from kgate.runner.choice import Choice
from kgate.runner.lockstep import Schedule, run_launch
from kgate.runner.roofline import Floor

pytestmark = pytest.mark.real
SHORT = {"blocks": 2, "method": SINGLE}


@pytest.fixture
def launch(workplace, stage, limits, job):
    """One launch of a case that both arms answer in 1 µs; `fake` plays head."""

    def run(fake: str, changes=None, **schedule):
        jobs = {arm: [job("bad", **(changes or {}))] for arm in (HEAD, BASE)}
        start = stage.playing(fake, "timed_short", arm="head")
        return run_launch(
            workplace, jobs, 0, Schedule(**{**SHORT, **schedule}), stage.events.append, start=start, limits=limits
        )

    return run


def test_a_short_case_is_timed_as_a_graph_in_all_arms(launch):
    result = launch("timed_short")

    timing = result.timings["bad"]
    assert (timing.method, timing.notes["batch"]) == (GRAPH, 64)
    assert {name: len(samples) for name, samples in timing.samples_ns.items()} == {"head": 10, "base": 10}


def test_the_exported_call_is_one_of_the_graph_s_and_filed_under_its_own_seed(launch):
    result = launch("timed_short")

    (seed, tensors), (base_seed, _) = result.exported["head", "bad"], result.exported["base", "bad"]
    assert seed == base_seed
    assert struct.unpack("<4I", tensors[0].path.read_bytes())[0] == seed


@pytest.mark.parametrize(
    ("fake", "why"), [("timed_uncaptured", "its calls wait"), ("timed_dies_captured", "signal 7 (SIGBUS)")]
)
def test_where_one_arm_cannot_be_captured_all_are_timed_in_a_row_and_nobody_has_failed(launch, stage, fake, why):
    result = launch(fake)

    timing = result.timings["bad"]
    assert result.failures == {}
    assert (timing.method, set(timing.samples_ns)) == (BATCH, {"head", "base"})
    assert timing.notes["timer"].startswith(f"not by {GRAPH}, for head: ")
    assert why in timing.notes["timer"]
    assert len(stage.started) == 3  # head's second process is a new one


def test_where_calls_in_a_row_do_not_go_either_all_are_timed_one_at_a_time(launch):
    result = launch("timed_never_arranged", blocks=2)

    # A fake that refuses everything refuses this too; what is last in the ladder is used all the same.
    assert result.timings["bad"].method == SINGLE
    assert result.timings["bad"].notes["batch"] == 1


@pytest.mark.parametrize("changes", [{"setup": "m:s"}, {"reset": "m:r"}])
def test_a_case_with_state_is_timed_one_call_at_a_time(launch, changes):
    assert launch("timed_short", changes).timings["bad"].method == SINGLE


@pytest.mark.parametrize("choice", [Choice(method=SINGLE), Choice(method=BATCH, calls=9)])
def test_a_case_is_timed_as_in_an_earlier_launch(launch, choice):
    timing = launch("timed_short", choices={"bad": choice}).timings["bad"]

    assert (timing.method, timing.notes["batch"]) == (choice.method, choice.calls or 1)


def test_a_case_that_cannot_be_timed_as_earlier_has_no_times_in_this_launch_and_no_other_method(launch, stage):
    result = launch("timed_uncaptured", choices={"bad": Choice(method=GRAPH, calls=16)})

    assert (result.timings, result.failures) == ({}, {})
    why = f"bad: not timed in launch 0: head: not by {GRAPH}, as in an earlier launch: its calls wait"
    assert [f["text"] for f in stage.named("note")] == [why]


def test_a_time_below_what_is_possible_is_no_measurement(launch, stage):
    floor = Floor(ns=1001.0, text="less than 1.00 µs is not possible")

    result = launch("timed_short", floors={"bad": floor})

    assert (result.timings, result.failures) == ({}, {})
    (note,) = stage.named("note")
    assert note["text"].endswith("impossible: 1.00 µs, where less than 1.00 µs is not possible")


def test_a_time_at_the_bound_is_one(launch):
    result = launch("timed_short", floors={"bad": Floor(ns=1000.0, text="")})

    assert set(result.timings) == {"bad"}


def test_seeds_of_a_sample_s_calls_begin_with_its_own_and_differ():
    assert seed_of_call(77, 0) == 77
    assert len({seed_of_call(2**32 - 1, call) for call in range(64)}) == 64
