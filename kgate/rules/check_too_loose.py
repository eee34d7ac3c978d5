"""A tolerance written by hand lets an answer of nothing but zeros pass."""

from collections.abc import Iterable

from kgate.model import HEAD, Bound, Case, Finding, Level, Run
from kgate.rules._difference import named
from kgate.rules._law import Limit, Said, of_case

NAME = "check-too-loose"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "No tolerance of the manifest accepts an output of zeros where the reference says something else."
WHY = (
    "A kernel that writes nothing leaves zeros behind. Where outputs are small, as a softmax's are, an atol or a PSNR "
    "that looks strict may accept them, and the check proves nothing."
)
SATISFY = (
    "Take the tolerance out, so that it is derived from the fallback's own error, or ask for less than the outputs "
    "themselves: an rtol under 1, an atol under the largest expected value, a higher PSNR."
)
LIMITS = ("rtol", "atol", "psnr", "cosine")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = case_said(run, case)
        if said:
            yield of_case(run, limit, case, said)


def case_said(run: Run, case: Case) -> Said | None:
    compared = run.comparisons.get((HEAD, case), ())
    loose = next((c for c in compared if c.accepts_zeros and declared(run, case, c.bound)), None)
    if loose is None:
        return None
    return Said(
        sentence=f"the tolerance of {case.kernel} on workload {case.workload} would accept an answer of zeros for "
        f"{named(loose)}: {spoken(loose.bound)}",
        advice="Tighten `tolerance` in the manifest, or take it out: then it is derived from the fallback's own error.",
    )


def declared(run: Run, case: Case, bound: Bound) -> bool:
    """
    Whether this bound is from the manifest being judged. Base's outputs are held against head's numbers, and a
    tolerance that head loosens must not pass for one that base had.
    """
    workload = run.workload(case)
    by_hand = workload.tolerance.values() if workload else ()
    return any(all(getattr(t, name) == getattr(bound, name) for name in LIMITS) for t in by_hand)


def spoken(bound: Bound) -> str:
    """`rtol 0.01, atol 1`."""
    return ", ".join(f"{name} {value:g}" for name in LIMITS if (value := getattr(bound, name)) is not None)
