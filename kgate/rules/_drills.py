"""What a condition did to a kernel's dispatch, as several rules ask it."""

from collections.abc import Iterator
from dataclasses import replace

from kgate.figures import count
from kgate.model import (
    FALLBACK,
    HEAD,
    SWITCH_OFF,
    SWITCH_ON,
    Case,
    Drill,
    Failure,
    Finding,
    Level,
    Measurement,
    Run,
)
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._state import NOT_HERE, alike, custom_failure, fallback_failure, first_broken, reached

NO_GPU = "no-gpu"
HANGING = (HEAD, FALLBACK, SWITCH_OFF, SWITCH_ON)


def conditions(run: Run) -> Iterator[Drill]:
    """Those that were to be met, but for the switch turned off, of which rules of cases speak."""
    for name in run.kernels:
        yield from (d for d in run.drills_of(name) if d.cases and d.condition != SWITCH_OFF.condition)


def of_drill(run: Run, limit: Limit, drill: Drill, said: Said) -> Finding:
    """A kernel's finding, and another one for each condition."""
    found = of_kernel(run, limit, run.kernels[drill.kernel], said)
    return replace(found, name=drill.name)


def softened(limit: Limit, drill: Drill, failure: Failure) -> Limit:
    """
    A warning where the kernel fails within its call, unless the policy names the rule: many a product lets that error
    through on purpose, and turns the switch. What can be known before the call is its to know; but one that is made for
    GPUs may refuse tensors on the CPU, as long as it can be imported without a GPU.
    """
    refusal = drill.condition == NO_GPU and failure.rung != "import"
    if (drill.blocks and not refusal) or limit.chosen:
        return limit
    return replace(limit, level=Level(min(limit.level, Level.WARN)))


def answers(run: Run, drill: Drill) -> Iterator[tuple[Case, Measurement]]:
    for case in drill.cases:
        if (answer := run.answered(drill.arm, case)) is not None:
            yield case, answer


def failures(run: Run, drill: Drill) -> Iterator[tuple[Case, Failure]]:
    """Of the product's, that another arm has not shown already."""
    for case in drill.cases:
        failure = run.failed(drill.arm, case)
        if failure is not None and failure.reason not in NOT_HERE and not explained(run, case, failure):
            yield case, failure


def explained(run: Run, case: Case, failure: Failure) -> bool:
    """The fallback fails by itself, or the same thing happens without the condition."""
    others = (custom_failure(run, case), run.failed(SWITCH_OFF, case), run.failed(SWITCH_ON, case))
    return fallback_failure(run, case) is not None or any(alike(failure, other) for other in others)


def takes_custom(run: Run, case: Case) -> bool:
    """Whether, without any condition, the dispatch goes to the custom path: only then is another one a change."""
    if run.outcome(SWITCH_ON, case) is not None:
        return reached(run, SWITCH_ON, case, "custom") > 0
    return run.outcome(HEAD, case) is None or run.answered(HEAD, case) is not None


def hangs(run: Run, case: Case) -> bool:
    """Whether it hangs without any condition, so that no more than that was waited for."""
    return any((f := run.failed(arm, case)) is not None and f.reason == "hung" for arm in HANGING)


def wrong_without(run: Run, drill: Drill, case: Case) -> bool:
    """Whether the function that answered is wrong by itself, of which other rules speak."""
    if reached(run, drill.arm, case, "fallback"):
        return fallback_failure(run, case) is not None or first_broken(run, (FALLBACK, SWITCH_OFF), case) is not None
    return first_broken(run, (HEAD, SWITCH_ON), case) is not None


def on_workloads(cases: list[Case]) -> str:
    """`on workload small`, `on workload small (backward) and 2 others`."""
    others = f" and {count(len(cases) - 1, 'other')}" if len(cases) > 1 else ""
    return f"on workload {cases[0].workload}{' (backward)' * (cases[0].direction == 'backward')}{others}"
