"""The verdicts and the numbers that the process answers with."""

from kgate.errors import ExitCode
from kgate.model import HEAD, Verdict, verdict_of
from tests.unit.builders import failure, judged, run_of, with_outcomes


def test_exit_codes_differ():
    values = [code.value for code in ExitCode]

    assert len(set(values)) == len(values)


def test_each_verdict_is_reached_by_a_run_and_has_its_own_code():
    runs = {
        Verdict.PASS: run_of(),
        Verdict.WARN: run_of(on_gpu=True, baseline=None),
        Verdict.FAIL: with_outcomes(run_of(), (HEAD, failure())),
        Verdict.NO_VERDICT: with_outcomes(run_of(), (HEAD, None)),
    }

    reached = {verdict: verdict_of(judged(run)) for verdict, run in runs.items()}

    assert all(verdict is found for verdict, found in reached.items())
    assert set(reached) == set(Verdict)
    assert {v: v.exit_code.value for v in Verdict} == {
        Verdict.PASS: 0,
        Verdict.WARN: 0,
        Verdict.FAIL: 1,
        Verdict.NO_VERDICT: 3,
    }
