"""`kgate baseline`: what may be recorded, and what becomes of it."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from kgate import baseline
from kgate.baseline import SPREAD, remembered
from kgate.errors import UsageError
from kgate.load import baselines
from kgate.model import Noise, Report
from kgate.reports import Style, render
from tests.unit import builders

MANIFEST = """\
version: 1
baselines: stored
kernels:
  gemm:
    owners: ["@acme/kernels"]
    dispatch: acme:gemm
    custom: acme:fused
    fallback: acme:eager
    workloads: {small: {}}
"""


def timed(head: str = "a" * 40, launches: int = 3) -> Report:
    run = builders.with_latency(builders.run_of(), builders.ratio("head", "base"), head_ns=12_500.0)
    found = {
        case: replace(seen, launches=tuple(replace(seen.launches[0], launch=n) for n in range(launches)))
        for case, seen in run.latency.items()
    }
    return replace(builders.report_of(replace(run, latency=found)), head=head)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "kgate.yaml").write_text(MANIFEST)
    return tmp_path


def results(folder: Path, report: Report) -> Path:
    target = folder / "results"
    target.mkdir(exist_ok=True)
    (target / "report.json").write_text(render(report, "json", Style()))
    return target


def test_a_green_run_is_recorded_with_its_times_and_errors(place: Path) -> None:
    said = baseline.record(place / "kgate.yaml", results(place, timed()))

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    assert stored.cases["gemm/small"].custom_ns == 12_500.0
    assert stored.cases["gemm/small"].errors[0]["relative_l2"] == pytest.approx(1e-7)
    assert stored.commit == "a" * 40
    assert said == f"{place}/stored/cpu.json: 1 case of cpu, commit aaaaaaaaa; review and commit this file"


def test_a_private_path_of_the_measuring_machine_is_not_stored(place: Path) -> None:
    report = timed()
    seen = replace(report.run.fingerprint, information={"interpreter": "/home/me/python", "host": "gpu-7"})

    baseline.record(place / "kgate.yaml", results(place, replace(report, run=replace(report.run, fingerprint=seen))))

    stored = json.loads((place / "stored" / "cpu.json").read_text())
    assert stored["fingerprint"]["information"] == {"host": "gpu-7"}


def test_a_failing_run_is_never_recorded(place: Path) -> None:
    run = builders.with_outcomes(builders.run_of(), (builders.HEAD, builders.failure()))
    failing = builders.report_of(run)
    assert failing.verdict.value == "fail"

    with pytest.raises(UsageError, match="the verdict is fail; a baseline is recorded from a run that passes"):
        baseline.record(place / "kgate.yaml", results(place, failing))

    assert not (place / "stored").exists()


def test_a_dirty_tree_is_never_recorded(place: Path) -> None:
    with pytest.raises(UsageError, match="uncommitted changes"):
        baseline.record(place / "kgate.yaml", results(place, timed(head="a" * 40 + "+dirty")))


@pytest.mark.parametrize(("launches", "words"), [(1, "1 launch"), (2, "2 launches")])
def test_too_few_launches_to_know_the_spread_are_never_recorded(place: Path, launches: int, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        baseline.record(place / "kgate.yaml", results(place, timed(launches=launches)))

    assert str(caught.value) == (
        f"{place}/results/report.json: gemm/small was timed in {words}, too few to know its spread; "
        "run `kgate check` without --launches, or with 3 or more, then record"
    )
    assert not (place / "stored").exists()


def test_recording_some_cases_keeps_the_others_on_the_same_fingerprint_and_says_what_it_replaces(place: Path) -> None:
    report = timed()
    before = {name: builders.stored_case(10_000.0) for name in ("gemm/huge", "gemm/large", "gemm/small")}
    kept = replace(builders.baseline(before), fingerprint=report.run.fingerprint)
    baselines.write(place / "stored" / "cpu.json", kept)

    said = baseline.record(place / "kgate.yaml", results(place, report))

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    assert {name: case.custom_ns for name, case in stored.cases.items()} == {
        "gemm/huge": 10_000.0,
        "gemm/large": 10_000.0,
        "gemm/small": 12_500.0,
    }
    assert said.splitlines() == [
        f"{place}/stored/cpu.json: 1 case of cpu, 2 kept, commit aaaaaaaaa; review and commit this file",
        "replaces gemm/small: 10.0 → 12.5 µs (+25.0 %)",
    ]


def test_a_case_that_was_timed_otherwise_than_the_rest_says_so_and_pools_no_noise_of_another_timer(place: Path) -> None:
    report = timed()
    otherwise = {c: replace(seen, method="cuda-graph-rotated") for c, seen in report.run.latency.items()}
    before = replace(builders.stored_case(), noise={"base": Noise(spread_log=0.5, freedom=30)})
    kept = replace(builders.baseline({"gemm/small": before}), fingerprint=report.run.fingerprint)
    baselines.write(place / "stored" / "cpu.json", kept)
    changed = results(place, replace(report, run=replace(report.run, latency=otherwise)))

    shown = baseline.diff(place / "kgate.yaml", changed)
    baseline.record(place / "kgate.yaml", changed)

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    case = stored.cases["gemm/small"]
    assert stored.method_of(case) == "cuda-graph-rotated"
    assert case.noise["base"].spread_log < 0.1
    assert "by another timer" in shown


def test_another_fingerprint_replaces_what_was_stored(place: Path) -> None:
    report = timed()
    other = replace(report.run.fingerprint, must_match={"device": "another"})
    baselines.write(
        place / "stored" / "cpu.json",
        replace(builders.baseline({"gemm/large": builders.stored_case()}), fingerprint=other),
    )

    said = baseline.record(place / "kgate.yaml", results(place, report))

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    assert sorted(stored.cases) == ["gemm/small"]
    assert said.splitlines()[1:] == [
        f"drops gemm/large: measured on another fingerprint ({', '.join(other.differences(report.run.fingerprint))})"
    ]


def test_diff_shows_the_change_and_says_where_it_does_not_compare(place: Path) -> None:
    report = timed()
    stored = replace(
        builders.baseline({"gemm/small": builders.stored_case(10_000.0)}),
        fingerprint=replace(report.run.fingerprint, must_match={"driver": "1"}),
    )
    baselines.write(place / "stored" / "cpu.json", stored)

    said = baseline.diff(place / "kgate.yaml", results(place, report))

    assert "+25.0 %" in said  # 12.5 µs after 10.0 µs
    assert "Not comparable: " in said
    assert "driver" in said


def test_what_is_no_report_is_refused_by_its_place(place: Path) -> None:
    broken = place / "report.json"
    broken.write_text(json.dumps({"format": 1}))

    with pytest.raises(UsageError, match=r"report\.json: not a report of this version of kgate"):
        baseline.record(place / "kgate.yaml", broken)


def test_no_report_and_no_baseline_say_what_to_run(place: Path) -> None:
    with pytest.raises(UsageError, match="run `kgate check` first"):
        baseline.record(place / "kgate.yaml", None)
    with pytest.raises(UsageError, match="`kgate baseline record`"):
        baseline.show(place / "kgate.yaml", "")


def test_diff_lines_its_numbers_up_and_marks_what_lies_within_the_stored_spread(place: Path) -> None:
    report = timed()  # 12.5 µs
    wide = replace(builders.stored_case(12_000.0), spread_log=0.187)
    cases = {"gemm/gone": builders.stored_case(1_000_000.0), "gemm/small": wide}
    stored = replace(builders.baseline(cases), fingerprint=report.run.fingerprint)
    baselines.write(place / "stored" / "cpu.json", stored)

    said = baseline.diff(place / "kgate.yaml", results(place, report))

    assert said.splitlines()[1:] == [
        "case          stored      run    change    spread",
        "----------  --------  -------  --------  --------  -----------------",
        "gemm/gone    1.00 ms        –         –     1.0 %",
        "gemm/small   12.0 µs  12.5 µs    +4.2 %    18.7 %  within its spread",
        *SPREAD.splitlines(),
    ]


def test_show_lines_its_numbers_up(place: Path) -> None:
    cases = {"gemm/small": replace(builders.stored_case(850.0), spread_log=0.187, fallback_ns=None)}
    baselines.write(place / "stored" / "cpu.json", builders.baseline(cases))

    said = baseline.show(place / "kgate.yaml", "")

    assert said.splitlines()[1:] == [
        "case          custom    fallback    spread    launches",
        "----------  --------  ----------  --------  ----------",
        "gemm/small    850 ns           –    18.7 %           8",
        *SPREAD.splitlines(),
    ]


@pytest.mark.parametrize(("inner", "name"), [(".", "last"), ("libs/norm", "last-libs-norm")])
def test_the_last_run_is_read_from_the_state_folder_of_the_repository(tmp_path: Path, inner: str, name: str) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / inner
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kgate.yaml").write_text(MANIFEST)
    last = tmp_path / ".kgate" / name
    last.mkdir(parents=True)
    (last / "report.json").write_text(render(timed(), "json", Style()))

    said = baseline.record(folder / "kgate.yaml", None)

    assert said.startswith(f"{folder}/stored/cpu.json: 1 case of cpu")


def test_noise_of_several_runs_is_pooled_by_its_degrees_of_freedom_and_the_oldest_gives_way() -> None:
    old = {"base": Noise(spread_log=0.02, freedom=20), "fallback": Noise(spread_log=0.01, freedom=5)}

    found = remembered(old, {"base": Noise(spread_log=0.01, freedom=9)})

    assert found["fallback"] == old["fallback"]
    assert found["base"].freedom == 23  # of forty launches: 14 of the old and 9 of the new
    assert found["base"].spread_log == pytest.approx(math.sqrt((14 * 0.02**2 + 9 * 0.01**2) / 23))
