"""A tolerance written by hand lets an answer pass that is plainly wrong, or one in fewer bits than its dtype has."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.model import FALLBACK, HEAD, Bound, Case, Comparison, Finding, Level, Run
from kgate.rules._difference import named, numbers
from kgate.rules._law import Limit, Said, of_case

NAME = "check-too-loose"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "No tolerance of the manifest accepts zeros, a constant or shuffled numbers where the reference says something "
    "else (no function under `compare` zeros, a constant or NaN), and no kernel is less exact than its dtype, under a "
    "tolerance that lower precision would pass as well."
)
WHY = (
    "A kernel that writes nothing leaves zeros behind. Where outputs are small, as a softmax's are, an atol or a PSNR "
    "that looks strict may accept them, and the check proves nothing. It blocks where the kernel's own answer needs "
    "it; where the kernel is as exact as its dtype allows, or its fallback no better, it is a warning at most."
)
SATISFY = (
    "Take the tolerance out, so that it is derived from the fallback's own error, or ask for less than the outputs "
    "themselves: an rtol under 1, an atol under the largest expected value, a higher PSNR."
)
LIMITS = ("rtol", "atol", "psnr", "cosine")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        if said := own_said(run, case):
            yield of_case(run, limit, case, said)
        loose = next((c for c in run.comparisons.get((HEAD, case), ()) if declared(run, case, c.bound)), None)
        if loose is None:
            continue
        used = bool(loose.beyond) and not any(c.beyond for c in run.comparisons.get((FALLBACK, case), ()))
        words = ["of zeros"] * loose.accepts_zeros + [w for w in loose.accepts if used or not w.startswith("in ")]
        if words:
            level = limit.level if used else min(limit.level, Level.WARN)
            yield of_case(run, replace(limit, level=level), case, by_hand_said(case, loose, words, used))


def own_said(run: Run, case: Case) -> Said | None:
    """Of a comparison by a function of the user's, which was tried on answers that are wrong."""
    compare = run.kernels[case.kernel].compare
    words = list(dict.fromkeys(word for c in run.comparisons.get((HEAD, case), ()) for word in c.accepts))
    if ":" not in compare or not words:
        return None
    return Said(
        sentence=f"{compare}, which compares {case.kernel}, would accept an answer {' or '.join(words)} on workload "
        f"{case.workload}",
        advice=f"Let {compare} hold every output against what is expected, and refuse NaN where it is not.",
    )


def by_hand_said(case: Case, loose: Comparison, words: list[str], used: bool) -> Said:
    """`used`: the kernel's own answer is none that its dtype would allow."""
    need = f"; the kernel's own answer needs it: {loose.beyond}" if used else ""
    return Said(
        sentence=f"the tolerance of {case.kernel} on workload {case.workload} would accept an answer "
        f"{' or '.join(words)} for {named(loose)}: {spoken(loose.bound)}{need}",
        evidence=numbers(loose) if used else {},
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
