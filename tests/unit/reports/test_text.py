"""The report at a terminal."""

from dataclasses import replace

import pytest

from kgate.model import HEAD, Decision, Ratio, Report, Verdict
from kgate.reports import Style, text
from kgate.reports._table import elided
from tests.unit.builders import failure, kernel, ratio, report_of, run_of, with_latency, with_outcomes
from tests.unit.reports.sample import sample

PAYS = ratio(below="fallback", median=0.5)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_line_is_wider_than_asked(width):
    lines = text.render(sample(), Style(width=width)).splitlines()

    assert max(len(line) for line in lines) <= width


def test_the_first_line_is_the_verdict():
    assert text.render(report_of(run_of()), Style()).startswith(
        "kgate: pass: nothing to mend; 1 case of 1 kernel on cpu"
    )


def test_colour_is_only_where_asked_and_changes_no_word():
    plain, coloured = text.render(sample(), Style()), text.render(sample(), Style(colour=True))

    assert "\x1b" not in plain
    assert coloured.startswith("\x1b[1;31mkgate: fail\x1b[0m: ")
    assert coloured.replace("\x1b[1;31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "") == plain


def test_escape_sequences_of_a_kernel_are_shown_and_not_obeyed():
    run = with_outcomes(run_of(kernel("a\x1b[2Jb")), (HEAD, failure(text="\x1b[32mkgate: pass\x1b[0m\r\n")))

    shown = text.render(report_of(run), Style(colour=True))

    assert "\x1b[2J" not in shown
    assert "\x1b[32m" not in shown
    assert "␛[32mkgate: pass␛[0m" in shown


def test_a_name_longer_than_the_terminal_gives_way_at_its_end():
    assert elided("linear_gelu_decode64", 12) == "linear_gelu…"
    assert elided("short", 12) == "short"


def test_a_workload_that_does_not_fit_beside_its_numbers_stands_in_full_above_them():
    name = "a_workload_whose_name_takes_half_of_a_terminal"
    lines = text.render(report_of(run_of(kernel(workloads=(name, "small")))), Style()).splitlines()

    at = lines.index(f"  {name}")
    assert lines[at - 1] == "gemm"
    assert lines[at + 1].split()[:2] == ["10.0", "µs"]
    assert lines[at + 2].split()[:2] == ["small", "10.0"]
    assert max(map(len, lines)) <= 80


def noted(*ratios: Ratio, workloads: tuple[str, ...] = ("small",)) -> Report:
    return report_of(with_latency(run_of(kernel(workloads=workloads)), *ratios))


def test_a_regression_on_a_cpu_is_in_the_first_line_the_table_and_the_notes():
    report = noted(ratio(median=1.177, decision=Decision.SLOWER), ratio(below="fallback", median=0.5))

    shown = text.render(report, Style())

    assert shown.startswith("kgate: pass: nothing blocks; 1 case noted as slower than base;")
    assert " slower\n" in shown
    assert "notes (latency is only noted on a CPU; `policy: {slower-than-base: fail}` makes" in shown
    assert "  slower-than-base  gemm/small  +17.7 ±1.2 % against base\n" in shown


def test_what_could_not_be_decided_is_counted_apart_and_never_called_slower():
    report = noted(ratio(median=1.04, decision=Decision.INCONCLUSIVE), PAYS, workloads=("a", "b"))

    shown = text.render(report, Style())

    assert shown.startswith("kgate: pass: nothing to mend")
    assert "  2 undecided against base\n" in shown
    assert "slower-than-base  gemm" not in shown
    assert shown.count("  ok\n") == 2


def test_many_notes_are_cut_and_the_rest_counted():
    slow = ratio(median=1.2, decision=Decision.SLOWER)
    shown = text.render(noted(slow, PAYS, workloads=tuple(f"w{n}" for n in range(20))), Style())

    assert shown.count("slower-than-base  gemm/w") == 7
    assert "  13 more with --format markdown\n" in shown


def test_decided_and_undecided_blockers_are_counted_apart():
    run = run_of(kernel("a"), kernel("b"), on_gpu=True)
    (first, second) = run.cases
    broken = {(HEAD, first): failure(), (HEAD, second): failure("unavailable", "no tilelang")}

    shown = text.render(report_of(replace(run, outcomes={**run.outcomes, **broken})), Style(width=200))

    assert "1 finding blocks this change (does-not-run) in 1 kernel, 1 could not be decided (not-measured);" in shown


def test_the_command_to_see_it_again_names_base_and_what_blocks():
    report = report_of(with_outcomes(run_of(kernel(workloads=("a", "b"))), (HEAD, failure())))

    shown = " ".join(text.render(report, Style(width=400)).split())

    assert f"again: kgate check --base {report.base} --kernel gemm --workload a --workload b" in shown


def test_a_workload_that_the_run_was_told_is_not_named_twice():
    run = with_outcomes(run_of(kernel(workloads=("a",))), (HEAD, failure()))
    report = replace(report_of(run), command="kgate check --workload a")

    shown = " ".join(text.render(report, Style(width=400)).split())

    assert f"again: kgate check --workload a --base {report.base} --kernel gemm" in shown
    assert shown.count("--workload a") == 1


@pytest.mark.parametrize(
    ("head", "base", "said"),
    [
        ("+dirty", "", "uncommitted changes, no base"),
        ("1a2b3c4d5e6f", "", "head 1a2b3c4d5, no base"),
        ("1a2b3c4d5e6f+dirty", "0d0e0f101112", "head 1a2b3c4d5+dirty against base 0d0e0f101"),
    ],
)
def test_the_commits_are_said_in_words_where_there_is_none(head, base, said):
    report = replace(report_of(run_of()), head=head, base=base)

    assert text.render(report, Style()).splitlines()[1] == f"kgate.yaml, {said}"


def test_workloads_that_fail_alike_are_one_group():
    run = with_outcomes(run_of(kernel(workloads=("a", "b", "c"))), (HEAD, failure()))

    shown = text.render(report_of(run), Style())

    assert shown.count("does-not-run  gemm (3 cases)") == 1
    assert shown.count("do: ") == 1


def test_a_run_without_cases_says_so():
    report = report_of(run_of(kernel(workloads=())))

    assert report.verdict is Verdict.NO_VERDICT
    assert "no cases" in text.render(report, Style())
