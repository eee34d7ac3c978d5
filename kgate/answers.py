"""What every arm has answered, and what is asked of the comparison of one answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from kgate import comparisons
from kgate.bounds import bounds_of, flushed, held_to, strict
from kgate.comparisons import Question
from kgate.model import FALLBACK, Arm, Case, Comparison, Measurement, Outcome, Route, Tensor, Tree, of_base
from kgate.setting import Setting

FLUSH = "flush"  # of a kernel's `subnormals`


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Outcomes and comparisons by (arm, case); `resumed` outcomes came from the ledger."""

    outcomes: Mapping[tuple[Arm, Case], Outcome]
    comparisons: Mapping[tuple[Arm, Case], tuple[Comparison, ...]]
    resumed: int = 0
    compile_s: float = 0.0  # of kernels compiled side by side, before the arms answered


def compared(
    setting: Setting, answers: Answers, arm: Arm, case: Case, outputs: tuple[Tensor, ...], reference: Measurement
) -> tuple[Comparison, ...]:
    """One answer to one question; many are asked at once through `comparisons.answers`."""
    return comparisons.answer(question(setting, answers, arm, case, outputs, reference))


def question(
    setting: Setting, answers: Answers, arm: Arm, case: Case, outputs: tuple[Tensor, ...], reference: Measurement
) -> Question:
    """
    Outputs of one arm against the reference. Number, shape and dtype are held against a fallback: custom against its
    own tree's, head's fallback against base's, so that a change cannot break a contract and call the rest of it broken.
    """
    own = of_base(FALLBACK) if Tree.BASE is arm.tree or arm.route is Route.FALLBACK else FALLBACK
    contract = answers.outcomes.get((own, case)) if own != arm else None
    like = contract.outputs if isinstance(contract, Measurement) else None
    workload = held_to(setting.plan, arm, case)
    # Base's fallback where there is one: a change that makes the fallback less exact must not loosen its own tolerance.
    errors = next((found for a in (of_base(FALLBACK), FALLBACK) if (found := answers.comparisons.get((a, case)))), ())
    bounds = bounds_of(workload, setting.plan.target, arm, like or outputs, errors)
    most = strict(workload, outputs, bounds)
    kernels = setting.plan.base_kernels if arm.tree is Tree.BASE else setting.plan.kernels
    if case.kernel in kernels and kernels[case.kernel].subnormals == FLUSH:
        bounds, most = flushed(bounds, like or outputs), flushed(most, like or outputs)
    giver = "base's fallback" if own.tree is Tree.BASE else "fallback"
    return Question(
        outputs=outputs,
        reference=reference.outputs,
        like=like,
        bounds=bounds,
        giver=giver,
        strict=most,
        comparer=setting.plan.kernels[case.kernel].compare,
    )
