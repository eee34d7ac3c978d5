"""The run's own controls came out wrong, so that no time of it decides anything."""

from collections.abc import Iterable

from kgate.figures import count
from kgate.model import Finding, Level, Run
from kgate.rules._law import Limit, Said, of_run

NAME = "instrument-failed"
DEFAULT = Level.FAIL
ON_CPU: Level | None = Level.NOTE
WANTS = "kgate's own quiet kernels, timed in the same launches, come out as they are known to be."
WHY = (
    "A timer, a clock or a neighbour that makes the same code differ, or a known slowdown come out wrong, does so with "
    "the kernels under test as well. Then nobody is blamed for a time, and nobody is cleared."
)
SATISFY = (
    "Mend the machine: end what else computes on the GPU, look at its clocks and its heat with `kgate doctor`, and run "
    "again after taking the run's ledger out of .kgate. No change to a kernel helps."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if run.instrument is not None and run.instrument.voids:
        tries = " twice" if run.instrument.again else ""
        yield of_run(
            run,
            limit,
            Said(
                sentence=f"the instrument is at fault and no kernel: its controls failed{tries}, so no time of this "
                f"run decides anything ({count(len(run.latency), 'case')})",
                evidence={f"control {n}": text for n, text in enumerate(run.instrument.faults, start=1)},
                advice="End what else computes on this GPU, take the run's ledger out of .kgate, and run again.",
                undecided=True,
            ),
        )
