"""`kgate baseline`: what may be recorded, and what becomes of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgate import baseline
from kgate.errors import UsageError
from kgate.load import baselines
from kgate.model import Report
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


def timed(head: str = "a" * 40) -> Report:
    run = builders.with_latency(builders.run_of(), builders.ratio("head", "base"), head_ns=12_500.0)
    return replace(builders.report_of(run), head=head)


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
    assert "stored/cpu.json: 1 cases of cpu" in said


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


def test_recording_some_kernels_keeps_the_others_on_the_same_fingerprint(place: Path) -> None:
    report = timed()
    kept = replace(builders.baseline({"gemm/large": builders.stored_case()}), fingerprint=report.run.fingerprint)
    baselines.write(place / "stored" / "cpu.json", kept)

    baseline.record(place / "kgate.yaml", results(place, report))

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    assert sorted(stored.cases) == ["gemm/large", "gemm/small"]


def test_another_fingerprint_replaces_what_was_stored(place: Path) -> None:
    report = timed()
    other = replace(report.run.fingerprint, must_match={"device": "another"})
    baselines.write(
        place / "stored" / "cpu.json",
        replace(builders.baseline({"gemm/large": builders.stored_case()}), fingerprint=other),
    )

    baseline.record(place / "kgate.yaml", results(place, report))

    stored = baselines.read(place / "stored" / "cpu.json")
    assert stored is not None
    assert sorted(stored.cases) == ["gemm/small"]


def test_diff_shows_the_change_and_says_where_it_does_not_compare(place: Path) -> None:
    report = timed()
    stored = replace(
        builders.baseline({"gemm/small": builders.stored_case(10_000.0)}),
        fingerprint=replace(report.run.fingerprint, must_match={"driver": "1"}),
    )
    baselines.write(place / "stored" / "cpu.json", stored)

    said = baseline.diff(place / "kgate.yaml", results(place, report))

    assert "+25.0%" in said  # 12.5 µs after 10.0 µs
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
