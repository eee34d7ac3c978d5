"""The same call gives other answers: some of them wrong, or any at all where the kernel promises the same bits."""

from collections.abc import Iterable

from kgate.model import AFRESH, HEAD, REPEATS, Case, Comparison, Finding, Level, Measurement, Run
from kgate.rules._difference import difference, numbers
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import ANSWERS, DIFFERS, custom_failure, first_broken

NAME = "nondeterministic"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "The same call gives the same answer: within the tolerance always, bit for bit where `deterministic` says so."
WHY = (
    "A race that shows once in a thousand calls passes every single comparison and spoils a night's training. Sums in "
    "varying order are no fault unless the kernel has promised otherwise."
)
SATISFY = (
    "Look for a missing barrier, a buffer that two blocks share, or memory read before it is written. If only the "
    "order of a sum varies, take `deterministic: true` out of the manifest, or make the order fixed."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = case_said(run, case)
        if said:
            yield of_case(run, limit, case, said)


def case_said(run: Run, case: Case) -> Said | None:
    answer = run.answered(HEAD, case)
    if answer is None or custom_failure(run, case) or first_broken(run, ANSWERS, case):
        return None
    kernel = run.kernels[case.kernel]
    where = f"{kernel.custom} on workload {case.workload}"
    found = first_broken(run, (REPEATS,), case)
    if found is not None:
        return Said(
            sentence=f"{where} is not the same each time: {counted(answer)}; of one of them {difference(found[1])}",
            evidence=numbers(found[1]),
            advice=f"Look for a race in {kernel.custom}: a missing barrier, shared scratch, memory read unwritten.",
        )
    if not kernel.deterministic:
        return None
    if not answer.later:
        return afresh_said(run, case, where)
    compared = run.comparisons.get((REPEATS, case), ())
    return Said(
        sentence=f"{where} is declared deterministic, and {counted(answer)}",
        evidence=spread(compared),
        advice="Fix the order of its sums (no atomics, one order of blocks), or take `deterministic` out.",
    )


def afresh_said(run: Run, case: Case, where: str) -> Said | None:
    again = run.answered(AFRESH, case)
    if again is None or not again.facts.get(DIFFERS):
        return None
    return Said(
        sentence=f"{where} is declared deterministic, and the same call gave other bits in another process",
        evidence=spread(run.comparisons.get((AFRESH, case), ())),
        advice="Fix the configuration that an autotuner may choose anew, and let no address, hash or clock decide; or "
        "take `deterministic` out.",
    )


def counted(answer: Measurement) -> str:
    """`3 of 1200 calls on the same inputs gave other bits than the first`."""
    made, differ = (answer.facts.get(name, 0) for name in ("repeats", "repeats-differ"))
    if not differ:
        return "a later call on the same inputs gave other bits than the first"
    return f"{differ} of {made} calls on the same inputs gave other bits than the first"


def spread(compared: tuple[Comparison, ...]) -> dict[str, str]:
    return {f"output {c.output}": f"row error {c.metrics['row_error'].value:.3g}" for c in compared if c.metrics}
