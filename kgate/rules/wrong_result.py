"""Head's custom path answers in the right form and with wrong numbers."""

from collections.abc import Iterable

from kgate.advice import rung_advice
from kgate.model import (
    FALLBACK,
    HEAD,
    IN_NAN,
    SECOND,
    SWITCH_ON,
    TIMED,
    Arm,
    Case,
    Comparison,
    Finding,
    Level,
    Run,
)
from kgate.protocol import TensorArg
from kgate.rules._beside import beside
from kgate.rules._difference import difference, numbers
from kgate.rules._habits import beyond_said, facts, listed, stale
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._neighbours import neighbours
from kgate.rules._state import ANSWERS, broken_by_dispatch, custom_failure, first_broken, right_in_base

NAME = "wrong-result"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "The custom path agrees with the float64 reference within its tolerance: on its first call and on later ones, in "
    "timed calls, whatever unwritten memory holds, and through the dispatch."
)
WHY = (
    "A wrong kernel that looks fine is the worst that a kernel can be. The fallback's own error sets what is asked, so "
    "a kernel is never held to more than the path that it replaces."
)
SATISFY = (
    "Start at the place that the finding names: its index often tells the tile, tail or mask that is wrong. If the "
    "kernel is right and the tolerance is not, declare one per dtype under `tolerance` and say why in review."
)

WHEN = {
    "timed": " in a timed call",
    "second call": " on its second call",
    "memory of NaN": " where unwritten memory holds NaN",
    "memory of 1e36": " where unwritten memory holds 1e36",
}
# By fact.
ASIDES = {
    "rows": (
        "where the last row of its batch is asked for alone",
        "Let no row of {0} depend on the others: a scale, a maximum or a mask taken over the whole batch.",
    ),
    "stream": (
        "on a stream that is not the default one, while that one is busy",
        "Launch the kernels of {0} on the current stream of the caller's.",
    ),
}


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = custom_said(run, case) or dispatch_said(run, case)
        if said:
            yield of_case(run, limit, case, said)
    yield from beside(run, limit)


def custom_said(run: Run, case: Case) -> Said | None:
    found = first_broken(run, ANSWERS, case)
    if custom_failure(run, case) or beyond_said(run, case):
        return None
    if found is None or found[0] == TIMED:
        said = stale_said(run, case) or expanded_said(run, case) or aside_said(run, case)
        if said or found is None:
            return said
    arm, comparison = unwritten(run, case) or found
    return None if comparison.mismatch else wrong(run, case, comparison, arm)


def expanded_said(run: Run, case: Case) -> Said | None:
    """What `sum().backward()` sends is one number with a stride of 0; a kernel that reads it as dense reads on."""
    names = facts(run, case, "expanded-apart")
    if not names or listed(run.outcome(FALLBACK, case), "expanded-apart"):
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload}, backward, gives another gradient ({', '.join(names)}) "
        "where the incoming gradient is one element expanded than where the same numbers are written out",
        evidence=outputs_named(run, case),
        advice="Read the incoming gradient by its strides, or make it contiguous first.",
    )


def aside_said(run: Run, case: Case) -> Said | None:
    """Called otherwise, where the fallback answers alike: a row without its batch, or on another stream."""
    kernel, vouching = run.kernels[case.kernel], run.answered(FALLBACK, case)
    for key, (words, advice) in ASIDES.items():
        names = facts(run, case, f"{key}-apart")
        if names and vouching is not None and vouching.facts.get(key) and not listed(vouching, f"{key}-apart"):
            return Said(
                sentence=f"{kernel.custom} on workload {case.workload} gives other numbers {words} "
                f"({', '.join(names)}); {kernel.fallback} gives the same",
                advice=advice.format(kernel.custom),
            )
    return None


def outputs_named(run: Run, case: Case) -> dict[str, str]:
    """Of the backward direction: by which inputs its outputs are gradients, in their order."""
    workload = run.workload(case)
    if case.direction == "forward" or workload is None:
        return {}
    mutates = run.kernels[case.kernel].mutates
    args = [(n, a) for n, a in workload.args.items() if isinstance(a, TensorArg) and n not in mutates]
    return {"outputs": "gradients by " + ", ".join(n for n, a in args if "float" in a.dtype or "complex" in a.dtype)}


def unwritten(run: Run, case: Case) -> tuple[Arm, Comparison] | None:
    """The answer in memory of NaN where NaN shows in it: it tells what is wrong with the others as well."""
    found = first_broken(run, (IN_NAN,), case)
    places = found[1].metrics.get("worst") if found else None
    return found if places is not None and ": nan, " in places.where else None


def stale_said(run: Run, case: Case) -> Said | None:
    """Right where it is asked, and the same again where the question has changed."""
    names = stale(run, case)
    if not names:
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} answers as before when the values of its input "
        f"{', '.join(names)} have changed in place: a stale result; {kernel.fallback} heeds them",
        advice=f"Look for what {kernel.custom} keeps by an input's address, identity or a few of its values; key it by "
        "version, or do not keep it.",
    )


def dispatch_said(run: Run, case: Case) -> Said | None:
    """Wrong by what the dispatch adds to a custom path that is right by itself."""
    comparison = broken_by_dispatch(run, case)
    if comparison is None or comparison.mismatch:
        return None
    kernel = run.kernels[case.kernel]
    evidence = numbers(comparison) | right_in_base(run, SWITCH_ON, case)
    return Said(
        sentence=f"{kernel.dispatch} with the switch on, on workload {case.workload}, differs from the reference: "
        f"{difference(comparison)}; {kernel.custom} by itself is right",
        evidence=evidence,
        advice=f"Look at what {kernel.dispatch} does before and after it calls {kernel.custom}.",
    )


def wrong(run: Run, case: Case, comparison: Comparison, arm: Arm) -> Said:
    when = WHEN.get(arm.condition, "")
    kernel = run.kernels[case.kernel]
    evidence = numbers(comparison) | right_in_base(run, HEAD, case)
    if arm == HEAD and (later := run.comparisons.get((SECOND, case))) and all(c.holds for c in later):
        when = " on its first call only (the second is right)"
    evidence |= outputs_named(run, case)
    where = f"{kernel.custom} on workload {case.workload}{', backward,' * (case.direction == 'backward')}{when}"
    return Said(
        sentence=f"{where} differs from the reference: {difference(comparison)}",
        evidence=evidence | neighbours(run, case),
        advice=advice(kernel.custom, when),
    )


def advice(function: str, when: str) -> str:
    if "unwritten" in when:
        return f"Write every element of what {function} returns: groups without rows, tails and masked rows too."
    if when:
        return f"Look for state that {function} keeps between calls: a cached answer, a buffer used again, a race."
    return rung_advice("correctness", function)
