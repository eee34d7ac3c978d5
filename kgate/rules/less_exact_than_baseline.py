"""Within its tolerance, and much less exact than it used to be."""

from collections.abc import Iterable, Mapping

from kgate.figures import digits
from kgate.model import HEAD, Case, Comparison, Finding, Level, Run, StoredCase
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import custom_right
from kgate.rules._stored import comparable, stored_of

NAME = "less-exact-than-baseline"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "The custom path's error is less than ten times that of the stored baseline on the same fingerprint."
WHY = (
    "A tolerance is a limit, not a target. A kernel that has become ten times less exact and still passes has lost its "
    "margin: an accumulator in a lower precision, a fast-math flag, a dropped correction."
)
SATISFY = (
    "Find what changed the arithmetic. If the loss is meant, record it with `kgate baseline record` in a change that "
    "an owner reviews."
)
FACTOR = 10.0
# Averages over an output. The worst single element is a matter of luck: another order of sums moves it tenfold.
AVERAGES = ("relative_l2", "rmse")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases if comparable(run) else ():
        stored = stored_of(run, case)
        said = case_said(run, case, stored) if stored and custom_right(run, case) else None
        if said:
            yield of_case(run, limit, case, said)


def case_said(run: Run, case: Case, stored: StoredCase) -> Said | None:
    """The error that grew most, over all outputs."""
    grown = [
        (now / old, output, name, old, now)
        for comparison, errors in zip(run.comparisons[HEAD, case], stored.errors, strict=False)
        for output, name, old, now in pairs(comparison, errors)
        if now > FACTOR * old > 0
    ]
    if not grown:
        return None
    ratio, output, name, old, now = max(grown)
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} is {ratio:.0f} times less exact than its baseline: "
        f"{name} of output {output} was {digits(old)}, is {digits(now)}",
        evidence={"baseline": f"{run.baseline.path} of {run.baseline.date}" if run.baseline else ""},
        advice=f"Look for a lower accumulation precision or a changed order of sums in {kernel.custom}.",
    )


def pairs(comparison: Comparison, errors: Mapping[str, float]) -> Iterable[tuple[int, str, float, float]]:
    """(output, metric, stored, now) of the averages that both sides have."""
    for name in AVERAGES:
        if name in errors and name in comparison.metrics:
            yield comparison.output, name, errors[name], comparison.metrics[name].value
