"""Nothing is stored of a kernel for this device and toolchain."""

from collections.abc import Iterable
from datetime import date

from kgate.figures import count
from kgate.model import Finding, Kernel, Level, Run
from kgate.rules._law import Limit, Said, of_kernel, of_run
from kgate.rules._stored import differing, stored_of

NAME = "no-baseline"
DEFAULT = Level.WARN
ON_CPU: Level | None = Level.NOTE
WANTS = "A baseline of every case is stored for this device, recorded on this fingerprint, and not long ago."
WHY = (
    "A baseline travels with the kernel: it tells the next owner how fast and how exact the kernel was on which GPU "
    "and toolchain, and it is what remains to compare with when base cannot be run."
)
# A quarter: long enough for drivers, cooling and neighbours to change, and for a hundred changes to add up unseen.
OLD_DAYS = 90
SATISFY = "Run `kgate baseline record` on this device from a passing run, and commit the file in a reviewed change."


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if age_said := old(run, limit.today):
        yield of_run(run, limit, age_said)
    for kernel in run.kernels.values():
        cases = run.of_kernel(kernel.name)
        absent = [c.workload for c in cases if stored_of(run, c) is None]
        said = kernel_said(run, kernel, absent) if cases else None
        if said:
            yield of_kernel(run, limit, kernel, said)


def old(run: Run, today: date) -> Said | None:
    """A date that is none has no age."""
    if run.baseline is None or not run.cases:
        return None
    try:
        age_days = (today - date.fromisoformat(run.baseline.date)).days
    except ValueError:
        return None
    if age_days <= OLD_DAYS:
        return None
    return Said(
        sentence=f"{run.baseline.path} was recorded {age_days} days ago, on {run.baseline.date}",
        advice=f"Look at `kgate baseline diff`, and record it anew on {run.device} where the change is meant.",
    )


def kernel_said(run: Run, kernel: Kernel, absent: list[str]) -> Said | None:
    advice = f"Run `kgate baseline record` on {run.device} and commit what it writes."
    if run.baseline is None:
        return Said(sentence=f"no baseline is stored for {kernel.name} on {run.device}", advice=advice)
    if absent:
        what = count(len(absent), "workload")
        sentence = f"{run.baseline.path} holds nothing of {what} of {kernel.name}: {', '.join(absent)}"
        return Said(sentence=sentence, advice=advice)
    if differences := differing(run):
        sentence = f"the baseline of {kernel.name} was recorded on another fingerprint: {', '.join(differences)}"
        return Said(sentence=sentence, evidence={"baseline": run.baseline.path}, advice=advice)
    return None
