"""Each misbehaviour ends as the right failure of the right case, and costs nobody else an answer."""

import struct

import pytest

from kgate.model import HEAD, Failure, Measurement
from kgate.runner.outputs import run_outputs

pytestmark = pytest.mark.real

MISBEHAVIOURS = [
    ("exits", "exited", "exit code 7"),
    ("crashes", "died", "signal 11 (SIGSEGV)"),
    ("log_pipe", "died", "signal 11 (SIGSEGV)"),
    ("forges_facts", "bad-reply", "gave '5' as the fact 'loaded-files'"),
    ("half_a_line", "died", "signal 6 (SIGABRT)"),
    ("floods_log", "bad-reply", "more than 4 MiB to its output"),
    ("floods_replies", "bad-reply", "more than 4 MiB of replies"),
    ("eats_memory", "out-of-memory", "GiB are allowed"),
    ("forges", "bad-reply", "a second time"),
    ("answers_twice", "bad-reply", "a second time"),
    ("garbage", "bad-reply", "no reply: not JSON"),
    ("long_line", "bad-reply", "a line of more than 1048576 bytes"),
    ("out_of_turn", "bad-reply", "began 'last' out of turn"),
    ("unknown_case", "bad-reply", "which is not open"),
    ("infinite", "bad-reply", "1e999 is no JSON number"),
    ("plays_gate", "bad-reply", "out of its place: Failed"),
    ("path_escape", "bad-reply", "no plain name"),
    ("pipe_output", "bad-reply", "no plain file but a pipe"),
    ("link_output", "bad-reply", "no plain file but a link"),
    ("second_name", "bad-reply", "has a second name"),
    ("short_output", "bad-reply", "has 3 bytes and not 16"),
    ("no_output", "bad-reply", "which is not there"),
    ("huge_output", "bad-reply", "promised 274877906944 bytes"),
    ("cuts_output_short", "bad-reply", "changed output 0"),
    ("replies_elsewhere", "bad-reply", "no plain file"),
    ("spoils_device", "raised", "CUDA error: illegal memory access"),
]


@pytest.mark.parametrize(("fake", "reason", "words"), MISBEHAVIOURS, ids=[m[0] for m in MISBEHAVIOURS])
def test_a_misbehaving_case_fails_and_the_others_are_answered(workplace, stage, limits, job, fake, reason, words):
    jobs = [job("first"), job("bad"), job("last")]

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=stage.playing(fake), limits=limits)

    assert isinstance(outcomes["bad"], Failure)
    assert outcomes["bad"].reason == reason
    assert words in outcomes["bad"].text
    assert [values(outcomes[case]) for case in ("first", "last")] == [(1.0, 2.0, 3.0, 4.0)] * 2


def values(outcome):
    assert isinstance(outcome, Measurement), outcome
    return struct.unpack("<4f", outcome.outputs[0].path.read_bytes())


def test_a_case_whose_output_a_later_one_took_away_is_tried_again_and_not_blamed(workplace, stage, limits, job):
    jobs = [job("first"), job("bad"), job("last")]
    start = stage.playing("deletes_others")

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=start, limits=limits)

    assert [values(outcomes[case]) for case in ("first", "bad", "last")] == [(1.0, 2.0, 3.0, 4.0)] * 3


def test_a_hanging_case_fails_after_its_own_timeout_and_the_others_are_answered(workplace, stage, limits, job):
    jobs = [job("first"), job("bad", timeout_s=0.3), job("last")]

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=stage.playing("hangs"), limits=limits)

    late = "gave no answer within 0.3 s (`timeout_s` of the manifest), and was ended"
    assert outcomes["bad"] == Failure(rung="run", reason="hung", text=late)
    assert values(outcomes["first"]) == values(outcomes["last"])


def test_a_case_at_which_a_spoiled_process_died_is_tried_alone_and_its_answer_kept(workplace, stage, limits, job):
    jobs = [job("first"), job("bad"), job("last")]
    start = stage.playing("crashes_after_others")

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=start, limits=limits)

    assert [values(o) for o in outcomes.values()] == [(1.0, 2.0, 3.0, 4.0)] * 3
    assert outcomes["bad"].facts["note"] == "an earlier process was lost at this case"
    assert "note" not in outcomes["last"].facts
    assert len(stage.started) == 3


def test_a_failure_behind_another_case_is_not_believed_until_it_comes_again(workplace, stage, limits, job):
    jobs = [job("first"), job("bad"), job("last")]
    told = []
    start = stage.playing("fails_after_others")

    outcomes = run_outputs(
        workplace, HEAD, jobs, {}, stage.events.append, lambda *filed: told.append(filed), start=start, limits=limits
    )

    assert [values(o) for o in outcomes.values()] == [(1.0, 2.0, 3.0, 4.0)] * 3
    assert [case for case, _ in told] == ["first", "last", "bad"]
    assert len(stage.started) == 2


def test_cases_of_one_function_that_fail_alike_need_one_second_try_for_all(workplace, stage, limits, job):
    names = [f"sweep-{n}" for n in range(50)]
    jobs = [job("first"), *(job(name) for name in names), job("other", entry="m:other")]

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=stage.playing("fails"), limits=limits)

    failure = Failure(rung="import", reason="import-failed", text="ImportError: no tiles")
    assert isinstance(outcomes["first"], Measurement)
    assert {name: o for name, o in outcomes.items() if o == failure}.keys() == {*names, "other"}
    assert len(stage.started) == 3


def test_a_case_that_kills_a_process_of_its_own_as_well_fails(workplace, stage, limits, job):
    jobs = [job("first"), job("bad"), job("last")]
    start = stage.playing("crashes")

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=start, limits=limits)

    assert outcomes["bad"].reason == "died"
    assert len(stage.started) == 3


def test_the_last_words_of_a_process_that_died_are_kept(workplace, stage, limits, job):
    outcomes = run_outputs(workplace, HEAD, [job("bad")], {}, stage.events.append, start=stage.playing("crashes"))

    assert "about to touch page zero" in outcomes["bad"].detail


@pytest.mark.parametrize("fake", ["honest", "leaves_a_child", "never_ends"])
def test_a_process_that_answers_everything_is_not_blamed_for_how_it_ends(workplace, stage, limits, job, fake):
    jobs = [job("first"), job("bad")]

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=stage.playing(fake), limits=limits)

    assert all(isinstance(o, Measurement) for o in outcomes.values())
    assert len(stage.started) == 1


@pytest.mark.parametrize(
    ("fake", "reason", "words"),
    [("never_begins", "exited", "before any case had begun"), ("other_version", "bad-reply", "version 99")],
)
def test_processes_that_twice_reach_no_case_fail_them_all(workplace, stage, limits, job, fake, reason, words):
    jobs = [job("first"), job("last")]

    outcomes = run_outputs(workplace, HEAD, jobs, {}, stage.events.append, start=stage.playing(fake), limits=limits)

    assert [(o.rung, o.reason) for o in outcomes.values()] == [("environment", reason)] * 2
    assert words in outcomes["first"].text
    assert len(stage.started) == 2


def test_a_process_that_once_reaches_no_case_gets_a_second_chance(workplace, stage, limits, job):
    start = stage.playing("never_begins", otherwise="honest")

    outcomes = run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=start, limits=limits)

    assert isinstance(outcomes["first"], Measurement)


def test_an_interpreter_that_is_not_there_fails_every_case_by_name(workplace, stage, limits, job):
    def start(*_):
        raise FileNotFoundError(2, "No such file or directory")

    outcomes = run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=start, limits=limits)

    assert outcomes["first"].reason == "unavailable"
    assert workplace.python[HEAD.tree] in outcomes["first"].text


def test_outcomes_and_rungs_are_told_as_they_come(workplace, stage, limits, job):
    told = []
    start = stage.playing("exits")

    run_outputs(
        workplace,
        HEAD,
        [job("first"), job("bad")],
        {},
        stage.events.append,
        lambda case, outcome: told.append((case, type(outcome).__name__)),
        start=start,
        limits=limits,
    )

    assert told == [("first", "Measurement"), ("bad", "Failure")]
    assert [(f["case"], f["rung"], f["ok"]) for f in stage.named("rung-ended")] == [
        ("first", "import", True),
        ("bad", "import", True),
        ("bad", "import", True),
        ("bad", "run", False),
    ]
    assert [(f["case"], f["arm"], f["ok"]) for f in stage.named("case-ended")] == [
        ("first", "head", True),
        ("bad", "head", False),
    ]


def test_nothing_of_a_process_stays_but_its_accepted_outputs_and_its_log(workplace, stage, limits, job):
    run_outputs(workplace, HEAD, [job("first")], {}, stage.events.append, start=stage.playing("honest"), limits=limits)

    assert list((workplace.folder / "control").iterdir()) == []
    assert len(list(workplace.logs.iterdir())) == 1
