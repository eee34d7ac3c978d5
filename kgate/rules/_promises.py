"""
What the manifest says is refused, and what the product's own call made of it: an error of the kind that is promised, or
the fallback's answer. A wrong number is wrong-result's to blame, whatever was promised.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgate.model import SWITCH_ON, Case, Failure, Finding, Measurement, Outcome, Run, Variant
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._state import happened

NOT_TRIED = "unavailable"


def kept(variant: Variant, outcome: Outcome | None) -> bool:
    """Whether the call ended as promised; an answer may still be wrong."""
    refusal = variant.workload.refusal
    if refusal is None or outcome is None:
        return True
    if isinstance(outcome, Failure) and outcome.reason == NOT_TRIED:
        return True
    if not refusal.raises:
        return isinstance(outcome, Measurement)
    return isinstance(outcome, Failure) and refusal.ending in outcome.kinds


def unkept(run: Run, limit: Limit, cases: Iterable[Case]) -> Iterator[Finding]:
    """One finding for each line of `refuses`; `cases` are the variants that may be judged."""
    lines: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        if not kept(run.variants[case], run.outcome(SWITCH_ON, case)):
            lines.setdefault((case.kernel, run.variants[case].kind), []).append(case)
    for (kernel, kind), broken in lines.items():
        yield replace(of_kernel(run, limit, run.kernels[kernel], said(run, broken)), name=f"{kernel}~{kind}")


def said(run: Run, broken: Sequence[Case]) -> Said:
    case = broken[0]
    variant, outcome = run.variants[case], run.outcome(SWITCH_ON, case)
    kernel, refusal = run.kernels[case.kernel], variant.workload.refusal
    assert refusal is not None
    did = happened(outcome) if isinstance(outcome, Failure) else "answers"
    more = f", as for {len(broken) - 1} more" if len(broken) > 1 else ""
    return Said(
        sentence=f"{kernel.dispatch}, asked {variant.change}, {did}{more}: the manifest promises {promised(variant)}",
        advice=f"Refuse in {kernel.dispatch} as `refuses` says, or write there what it does.",
    )


def promised(variant: Variant) -> str:
    """`ValueError where N % 8 != 0`; "" where nothing is."""
    refusal = variant.workload.refusal
    if refusal is None:
        return ""
    return f"{refusal.ending if refusal.raises else 'the answer of the fallback'} where {refusal.when}"
