"""The rungs that the gate itself decides, as events: contract, correctness, fallback, path."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from kgate.model import FALLBACK, HEAD, SWITCH_ON, Arm, Case, Comparison, Event, Kernel, Measurement, Outcome
from kgate.protocol import Rung
from kgate.runner.rungs import climbed, refused


def strayed(arm: Arm, outcome: Measurement) -> bool:
    """Whether a drill reached another function than its switch asks for, or none that is watched."""
    reached = {"switch-off": "reached-fallback", "switch-on": "reached-custom"}.get(arm.condition)
    other = {"switch-off": "reached-custom"}.get(arm.condition, "")
    return reached is not None and (not outcome.facts.get(reached) or bool(outcome.facts.get(other)))


def rungs(
    outcomes: Mapping[tuple[Arm, Case], Outcome],
    comparisons: Mapping[tuple[Arm, Case], tuple[Comparison, ...]],
    case: Case,
    kernel: Kernel,
    manifest: str = "",
) -> Iterator[Event]:
    """The rungs that the gate itself decides, once per case, for head: what did not get so far has no such event."""
    custom, fallback = (comparisons.get((arm, case), ()) for arm in (HEAD, FALLBACK))
    drill = outcomes.get((SWITCH_ON, case))
    judged = partial(ended, case, manifest)
    if custom:
        yield judged("contract", kernel.custom, [(c.mismatch, c) for c in custom])
        yield judged("correctness", kernel.custom, [(b, c) for c in custom for b in c.broken])
    if fallback:
        yield judged("fallback", kernel.fallback, [(t, c) for c in fallback for t in (c.mismatch, *c.broken)])
    if isinstance(drill, Measurement) and strayed(SWITCH_ON, drill):
        yield refused(case.name, HEAD, "path", "the custom path was not reached", kernel.dispatch, manifest=manifest)
    elif isinstance(drill, Measurement):
        yield climbed(case.name, HEAD, "path")


def ended(case: Case, manifest: str, rung: Rung, function: str, faults: Sequence[tuple[str, Comparison]]) -> Event:
    for text, comparison in faults:
        if text:
            found = (comparison.metrics.get(name) for name in ("extent", "worst"))
            where = next((metric.where for metric in found if metric and metric.where), "")
            return refused(case.name, HEAD, rung, text, function, where, manifest)
    return climbed(case.name, HEAD, rung)
