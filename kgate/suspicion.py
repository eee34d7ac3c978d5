"""What base has to answer as well, since head did not answer it as it should: whether it is older than the change."""

from collections.abc import Sequence

from kgate import ladder
from kgate.answers import Answers
from kgate.model import FALLBACK, HEAD, SWITCH_ON, Arm, Case, Failure, Measurement, Outcome
from kgate.plan import Plan, same_signature
from kgate.rules import NOT_TRIED, kept
from kgate.variants.refusals import SMALL


def suspect(plan: Plan, answers: Answers, arm: Arm, case: Case) -> bool:
    """Whether this drill of head's is at fault, and base has one to be asked whether it always was."""
    if plan.base_kernels[case.kernel].switch is None or not broken(answers, arm, case):
        return False
    # Where the custom path is wrong by itself, its drill is wrong with it and says nothing new.
    return arm != SWITCH_ON or not broken(answers, HEAD, case)


def broken(answers: Answers, arm: Arm, case: Case) -> bool:
    """Whether this arm failed, answered wrongly or took the other path."""
    outcome = answers.outcomes.get((arm, case))
    if not isinstance(outcome, Measurement):
        return True
    return ladder.strayed(arm, outcome) or any(not c.holds for c in answers.comparisons.get((arm, case), ()))


def doubtful(plan: Plan, answers: Answers, asked: Sequence[Case]) -> list[Case]:
    """Of variants; what is wrong behind a refusal comes with the refusal and with what was asked before it."""
    variants = plan.variants
    found = {case for case in asked if doubted(plan, answers, case)}
    behind = {case.kernel for case in found if variants[case].behind}
    more = {c for c in asked if c.kernel in behind and (variants[c].refused or variants[c].kind == SMALL)}
    return [case for case in asked if case in found | more and same_signature(plan, case)]


def doubted(plan: Plan, answers: Answers, variant: Case) -> bool:
    """Whether head's dispatch answers neither as its fallback can nor as is promised."""
    outcome, known = answers.outcomes.get((SWITCH_ON, variant)), plan.variants[variant]
    if not kept(known, outcome) or (known.behind and reached_none(outcome)):
        return True
    vouching = answers.comparisons.get((FALLBACK, variant), ())
    if not (vouching and all(c.holds for c in vouching)):
        return False
    if isinstance(outcome, Failure):
        return outcome.reason != NOT_TRIED and not known.workload.refusal
    return any(not c.holds for c in answers.comparisons.get((SWITCH_ON, variant), ()))


def reached_none(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Measurement) and outcome.facts.get("reached-custom") == 0
