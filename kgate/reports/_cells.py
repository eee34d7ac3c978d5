"""The row of each case, in the columns that text and Markdown share."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kgate.figures import change, digits, time_of
from kgate.model import BASE, FALLBACK, HEAD, Case, Finding, Level, Ratio, Report, Run, Scope

HEADERS = ("case", "custom", "fallback", "vs fallback", "vs base", "error", "status")
LEGEND = "vs: time of the custom path over the other's; + is slower; ± is a 95 % interval over launches"
UNKNOWN = "–"


@dataclass(frozen=True, kw_only=True)
class Row:
    """`workload` with its direction where that is not forward; `cells` are those of HEADERS after the first."""

    kernel: str
    workload: str
    cells: tuple[str, ...]


def rows(report: Report, clean: Callable[[str], str]) -> list[Row]:
    """Every case, with `clean` on what was not written here."""
    said: dict[str, list[Finding]] = {}
    for finding in report.findings:
        said.setdefault(finding.kernel if finding.scope is Scope.KERNEL else finding.name, []).append(finding)
    return [row(report.run, case, clean, said) for case in report.run.cases]


def row(run: Run, case: Case, clean: Callable[[str], str], said: Mapping[str, list[Finding]]) -> Row:
    """`said`: findings by the name of what they speak of."""
    latency = run.latency.get(case)
    medians = latency.median_ns if latency else {}
    name = named(case)
    mine = [f for f in (*said.get(name, ()), *said.get(case.kernel, ())) if f.kernel == case.kernel]
    return Row(
        kernel=clean(case.kernel),
        workload=clean(name.removeprefix(f"{case.kernel}/")),
        cells=(
            *(time_of(medians[arm.name]) if arm.name in medians else UNKNOWN for arm in (HEAD, FALLBACK)),
            *(versus(latency.ratio(HEAD.name, arm.name) if latency else None) for arm in (FALLBACK, BASE)),
            worst_error(run, case),
            status(mine),
        ),
    )


def named(case: Case) -> str:
    """As findings name it: without its device."""
    return case.stable_name


def versus(ratio: Ratio | None) -> str:
    """`+17.7 ±2.2 %`, from twice on `14.6× slower` or `2.3× faster`; one launch has no interval, none no ratio."""
    if ratio is None or not ratio.launches:
        return UNKNOWN
    if ratio.median > 2:
        return f"{times_of(ratio.median)} slower"
    if ratio.median < 1 / 2:
        return f"{times_of(1 / ratio.median if ratio.median else math.inf)} faster"
    half = (ratio.high - ratio.low) / 2 * 100
    within = f" ±{half:.{1 if half < 100 else 0}f}" if math.isfinite(half) else ""
    return f"{change(ratio.median).removesuffix(' %')}{within} %"


def times_of(factor: float) -> str:
    return f"{factor:.1f}×" if factor < 100 else f"{factor:.3g}×"


def worst_error(run: Run, case: Case) -> str:
    """The largest row error of head's outputs; see the metric of that name."""
    compared = run.comparisons.get((HEAD, case), ())
    errors = [c.metrics["row_error"].value for c in compared if "row_error" in c.metrics]
    if any(c.mismatch for c in compared) or not errors:
        return UNKNOWN
    worst = max(errors)
    return f"{worst:.0e}" if 0 < worst < 1e-2 else digits(worst)


def status(said: list[Finding]) -> str:
    """
    The worst that is said of a case and of its kernel: fail, unclear, warn, pre-existing (base has it too), slower (a
    note that blocks nothing), or ok.
    """
    blocking = [f for f in said if f.blocks]
    if blocking:
        return "unclear" if all(f.undecided for f in blocking) else "fail"
    if any(f.level is Level.WARN for f in said):
        return "warn"
    if any(f.level is Level.FAIL for f in said):
        return "pre-existing"
    return "slower" if any(f.rule == "slower-than-base" and not f.undecided for f in said) else "ok"
