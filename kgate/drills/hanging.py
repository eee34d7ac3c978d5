"""A case that hangs is waited for once or twice, and not under every condition anew."""

from collections.abc import Mapping

from kgate.model import FALLBACK, HEAD, SWITCH_OFF, SWITCH_ON, Arm, Case, Failure, Kernel, Outcome, Tree, of_base
from kgate.worker import conditions

ENOUGH = 2  # conditions under which a case has hung; one may be that condition's own
WORDS = "left out"


def left_out(outcomes: Mapping[tuple[Arm, Case], Outcome], kernel: Kernel, arm: Arm, case: Case) -> Failure | None:
    """Why a condition is not tried with this case, as the outcome of its arm; None where it is."""
    functions = {FALLBACK: kernel.fallback, HEAD: kernel.custom}
    functions |= dict.fromkeys((SWITCH_OFF, SWITCH_ON), kernel.dispatch)
    for usual, function in functions.items():
        if hung(outcomes.get((usual if arm.tree is Tree.HEAD else of_base(usual), case))):
            return because(f"{function} hung without it")
    before = [
        other.condition
        for (other, of_case), outcome in list(outcomes.items())
        if of_case == case and other.tree is arm.tree and other.condition in conditions.CONDITIONS and hung(outcome)
    ]
    return because(f"{kernel.dispatch} hung under {' and '.join(before)}") if len(before) >= ENOUGH else None


def because(why: str) -> Failure:
    return Failure(rung="environment", reason="unavailable", text=f"{WORDS}, since {why}")


def hung(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Failure) and outcome.reason == "hung"


def was_left_out(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Failure) and outcome.reason == "unavailable" and outcome.text.startswith(WORDS)
