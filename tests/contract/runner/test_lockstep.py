"""One launch: who is timed when, and what becomes of an arm that does not play by the rules."""

import os
import struct
from collections.abc import Mapping
from dataclasses import replace

import pytest

from kgate.model import BASE, HEAD, Failure
from kgate.runner.lockstep import Launch, Schedule, run_launch

pytestmark = pytest.mark.real
SCHEDULE = Schedule(blocks=4, samples_per_block=3)

MISBEHAVIOURS = [
    ("timed_boasts", "bad-reply", "claims 3000000.000 ms of a block"),
    ("timed_backwards", "bad-reply", "no positive time"),
    ("timed_too_few", "bad-reply", "1 samples where 3 were asked for"),
    ("timed_otherwise", "bad-reply", "where 'fake' is in use"),
    ("timed_long_wall", "bad-reply", "saw 1000000000.000 ms pass in a block that took"),
    ("timed_dies", "died", "signal 7 (SIGBUS)"),
    ("timed_exits", "exited", "exit code 3"),
    ("timed_hangs_up", "bad-reply", "closed its connection"),
    ("timed_twice", "bad-reply", "more than it was asked for"),
    ("timed_for_another", "bad-reply", "out of its place"),
    ("timed_out_of_place", "bad-reply", "answered TimeBlock with Ready"),
    ("timed_garbage", "bad-reply", "not of the protocol"),
    ("timed_without_end", "bad-reply", "more than it was asked for"),
    ("timed_raises", "raised", "no more registers"),
    ("timed_exports_link", "bad-reply", "no plain file but a link"),
    ("timed_exports_escape", "bad-reply", "no plain name"),
]


def launch(workplace, stage, limits, jobs, start, schedule=SCHEDULE) -> Launch:
    return run_launch(workplace, jobs, 0, schedule, stage.events.append, start=start, limits=limits)


@pytest.mark.parametrize(("fake", "reason", "words"), MISBEHAVIOURS, ids=[m[0] for m in MISBEHAVIOURS])
def test_an_arm_that_misbehaves_is_out_for_that_case_only(workplace, stage, limits, job, fake, reason, words):
    jobs = {arm: [job("first"), job("bad"), job("last")] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing(fake, "timed", arm="head"))

    assert list(result.failures) == [("head", "bad")]
    assert result.failures["head", "bad"].reason == reason
    assert words in result.failures["head", "bad"].text
    assert {case: set(t.samples_ns) for case, t in result.timings.items()} == {
        "first": {"head", "base"},
        "bad": {"base"},
        "last": {"head", "base"},
    }


def test_a_case_that_cannot_be_prepared_behind_another_is_tried_in_a_new_process(workplace, stage, limits, job):
    jobs = {arm: [job("bad"), *(job(f"other-{n}") for n in range(3))] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing("timed_prepares_once", "timed", arm="head"))

    assert result.failures == {}
    assert all(set(timing.samples_ns) == {"head", "base"} for timing in result.timings.values())


def test_an_arm_that_does_not_use_the_timer_of_the_probe_is_out_though_it_is_the_first(workplace, stage, limits, job):
    jobs = {arm: [job("bad"), job("last")] for arm in (HEAD, BASE)}
    schedule = replace(SCHEDULE, method="fake")
    start = stage.playing("timed_another_clock", "timed", arm="base")

    result = launch(workplace, stage, limits, jobs, start, schedule)

    assert result.failures["base", "bad"].text == "timed by 'sundial' where 'fake' is in use"
    assert list(result.failures) == [("base", "bad")]
    assert {case: set(t.samples_ns) for case, t in result.timings.items()} == {
        "bad": {"head"},
        "last": {"head", "base"},
    }


@pytest.mark.parametrize(
    ("fake", "why"),
    [
        ("timed_compiles", "a compile happened inside the timed region"),
        ("timed_leaks", "the device waited for the host inside more than 25% of the samples"),
    ],
)
def test_a_case_whose_times_hold_something_else_is_not_timed_and_nobody_has_failed(
    workplace, stage, limits, job, fake, why
):
    jobs = {arm: [job("bad"), job("last")] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing(fake, "timed", arm="head"))

    assert result.failures == {}
    assert list(result.timings) == ["last"]
    assert [f["text"] for f in stage.named("note")] == [f"bad: not timed in launch 0: head: {why}"]


def test_an_arm_that_cannot_be_seated_again_keeps_the_cases_it_was_timed_on(workplace, stage, limits, job):
    jobs = {arm: [job("a"), job("b"), job("bad"), job("c"), job("d")] for arm in (HEAD, BASE)}
    once, other = stage.playing("timed_dies"), stage.playing("timed")
    seated = []

    def start(of, arm, control):
        if arm == BASE:
            return other(of, arm, control)
        seated.append(arm)
        if len(seated) > 1:
            raise FileNotFoundError(2, "No such file or directory")
        return once(of, arm, control)

    result = launch(workplace, stage, limits, jobs, start)

    timed = {case for case, t in result.timings.items() if "head" in t.samples_ns}
    assert timed
    assert {case for _, case in result.failures} == {"a", "b", "bad", "c", "d"} - timed
    assert {case for arm, case in result.exported if arm == "head"} == timed


def test_an_arm_that_hangs_is_out_after_the_timeout_of_the_case(workplace, stage, limits, job):
    jobs = {arm: [job("bad", timeout_s=0.3), job("last")] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing("timed_hangs", "timed", arm="head"))

    late = "gave no answer within 0.3 s (`timeout_s` of the manifest), and was ended"
    expected = Failure(rung="latency", reason="hung", text=late)
    assert result.failures == {("head", "bad"): expected}
    assert set(result.timings["last"].samples_ns) == {"head", "base"}


def test_every_arm_gets_as_many_samples_and_one_of_them_is_exported_from_each(workplace, stage, limits, job):
    jobs = {arm: [job("first"), job("last")] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing("timed"))

    assert result.failures == {}
    assert {len(s) for t in result.timings.values() for s in t.samples_ns.values()} == {12}
    assert sorted(result.exported) == [(arm, case) for arm in ("base", "head") for case in ("first", "last")]
    assert all(first_word(tensors) == seed for seed, tensors in result.exported.values())
    assert result.exported["head", "first"][0] == result.exported["base", "first"][0]
    assert result.timings["first"].notes == {"batch": 1, "base.clock": 5, "head.clock": 5}
    assert set(result.start_s) == {"head", "base"}


def first_word(tensors) -> int:
    return struct.unpack("<4I", tensors[0].path.read_bytes())[0]


def test_outputs_larger_than_a_launch_may_keep_are_not_exported(workplace, stage, limits, job):
    schedule = Schedule(blocks=2, samples_per_block=1, export_limit_bytes=40)
    jobs = {arm: [job("first"), job("last")] for arm in (HEAD, BASE)}

    result = launch(workplace, stage, limits, jobs, stage.playing("timed"), schedule)

    assert len(result.exported) == 2
    assert [("export" in t.notes) for t in result.timings.values()] == [False, True]


def test_an_arm_without_a_case_takes_no_part_in_it(workplace, stage, limits, job):
    jobs = {HEAD: [job("first"), job("new")], BASE: [job("first")]}

    result = launch(workplace, stage, limits, jobs, stage.playing("timed"))

    assert {case: set(t.samples_ns) for case, t in result.timings.items()} == {
        "first": {"head", "base"},
        "new": {"head"},
    }


def test_an_arm_that_never_connects_fails_all_its_cases_and_the_other_is_timed(workplace, stage, limits, job):
    jobs = {arm: [job("first"), job("last")] for arm in (HEAD, BASE)}
    start = stage.playing("timed_absent", "timed", arm="head")

    result = launch(workplace, stage, replace(limits, startup_s=1.0), jobs, start)

    assert {key: f.reason for key, f in result.failures.items()} == {
        ("head", "first"): "hung",
        ("head", "last"): "hung",
    }
    assert {case: set(t.samples_ns) for case, t in result.timings.items()} == {"first": {"base"}, "last": {"base"}}


def test_the_same_launch_number_draws_the_same_sample_and_another_draws_another(workplace, stage, limits, job):
    def seed_of(number: int) -> int:
        jobs: Mapping = {HEAD: [job("first")]}
        result = run_launch(
            workplace, jobs, number, SCHEDULE, stage.events.append, start=stage.playing("timed"), limits=limits
        )
        return result.exported["head", "first"][0]

    first, again, other = seed_of(1), seed_of(1), seed_of(2)

    assert first == again
    assert first != other


def test_a_stranger_who_connects_is_not_taken_for_the_worker(workplace, stage, limits, job):
    import socket

    start = stage.playing("timed_absent", "timed", arm="nobody")

    def intruding(of, arm, control):
        child = start(of, arm, control)
        folder = os.open(control, os.O_DIRECTORY)  # a folder of tests lies too deep for the address of a socket
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(f"/proc/self/fd/{folder}/sock")
            stage.kept = stranger.dup()
        os.close(folder)
        return child

    result = launch(workplace, stage, limits, {HEAD: [job("first")]}, intruding)
    refused = stage.kept.recv(1)
    stage.kept.close()

    assert refused == b""
    assert set(result.timings["first"].samples_ns) == {"head"}


def test_arms_that_do_not_fit_into_memory_together_take_turns_and_are_paired_all_the_same(
    workplace, stage, limits, job
):
    jobs = {arm: [job("large"), job("small")] for arm in (HEAD, BASE)}
    schedule = replace(SCHEDULE, alternating=frozenset(["large"]))

    result = launch(workplace, stage, limits, jobs, stage.playing("timed", "timed"), schedule)

    assert result.failures == {}
    large, small = result.timings["large"], result.timings["small"]
    assert large.notes["residency"] == "alternating"
    assert "residency" not in small.notes
    assert {arm: len(ns) for arm, ns in large.samples_ns.items()} == {"head": 12, "base": 12}
    assert {arm for arm, case in result.exported if case == "large"} == {"head", "base"}
    assert len({seed for (_, case), (seed, _) in result.exported.items() if case == "large"}) == 1
