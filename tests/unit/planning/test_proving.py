"""What a run that is over proves, and what it leaves to be measured again."""

from dataclasses import replace

import pytest

from kgate import proving
from kgate.model import HEAD, Level, Report
from tests.unit.builders import answer, case, failure, kernel, report_of, run_of, with_outcomes, wrong

FILES = frozenset({"acme/gemm.py"})


def doubt(report: Report, files: frozenset[str] = FILES, strange: tuple[str, ...] = ()) -> str:
    return proving.doubt(report, "gemm", files, strange)


def test_a_kernel_about_which_nothing_is_to_be_looked_at_is_proved() -> None:
    assert doubt(report_of(run_of())) == ""


def test_a_warning_is_no_proof_and_a_note_or_what_is_judged_anyway_does_not_matter() -> None:
    (finding,) = report_of(replace(run_of(), base_kernels={})).findings
    of_times = replace(finding, rule="slower-than-base")

    found = [
        doubt(replace(report_of(run_of()), findings=(one,)))
        for one in (
            replace(of_times, level=Level.WARN),
            replace(of_times, level=Level.FAIL, pre_existing=True),
            replace(of_times, level=Level.NOTE),
            replace(of_times, level=Level.WARN, kernel="norm"),
            replace(finding, level=Level.FAIL),
        )
    ]

    assert finding.rule in proving.STANDING
    assert [bool(why) for why in found] == [True, True, False, False, False]
    assert found[0] == f"slower-than-base: {finding.sentence}"


def test_a_wrong_answer_a_failure_and_no_answer_are_no_proof() -> None:
    run = run_of()
    key = (HEAD, case())
    unmeasured = with_outcomes(run, (HEAD, None))

    found = [
        doubt(report_of(replace(run, comparisons={**run.comparisons, key: wrong()}))),
        doubt(report_of(with_outcomes(run, (HEAD, failure())))),
        doubt(replace(report_of(unmeasured), findings=())),
    ]

    assert [why.partition(":")[0] for why in found] == [
        "wrong-result",
        "does-not-run",
        "not all of its workloads gave an answer",
    ]


@pytest.mark.parametrize(
    ("files", "strange", "why"),
    [
        (frozenset[str](), (), "which files it rests on is not known"),
        (FILES, ("acme/table.bin",), "it rests on acme/table.bin, which git does not hold"),
    ],
)
def test_what_rests_on_files_that_no_commit_holds_is_not_proved(
    files: frozenset[str], strange: tuple[str, ...], why: str
) -> None:
    assert doubt(report_of(run_of()), files, strange) == why


def test_the_devices_time_is_shared_out_by_what_each_kernels_calls_took() -> None:
    run = run_of(kernel(), kernel("norm"), latency={})
    slow = replace(answer(), rungs_ns={"run": 18_009_000})
    taken = {key: slow if key[1].kernel == "norm" else found for key, found in run.outcomes.items()}

    found = proving.minutes(replace(run, outcomes=taken), 600.0)

    assert found == pytest.approx({"gemm": 1.0, "norm": 9.0})
