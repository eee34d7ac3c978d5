"""Nothing is stored of a kernel for this device and toolchain."""

from collections.abc import Iterable

from kgate.figures import count
from kgate.model import Finding, Kernel, Level, Run
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._stored import differing, stored_of

NAME = "no-baseline"
DEFAULT = Level.WARN
ON_CPU: Level | None = Level.NOTE
WANTS = "A baseline of every case is stored for this device, recorded on this fingerprint."
WHY = (
    "A baseline travels with the kernel: it tells the next owner how fast and how exact the kernel was on which GPU "
    "and toolchain, and it is what remains to compare with when base cannot be run."
)
SATISFY = "Run `kgate baseline record` on this device from a passing run, and commit the file in a reviewed change."


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        cases = run.of_kernel(kernel.name)
        absent = [c.workload for c in cases if stored_of(run, c) is None]
        said = kernel_said(run, kernel, absent) if cases else None
        if said:
            yield of_kernel(run, limit, kernel, said)


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
