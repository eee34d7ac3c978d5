"""
One call that the kernel refuses turns it off for good.

Blocks by default: nothing is wrong and nothing raises, so nobody looks, while every later call pays for the slow path
until the process is started anew.
"""

from collections.abc import Iterable
from dataclasses import replace

from kgate.model import SWITCH_ON, Drill, Finding, Kernel, Level, Run, Variant
from kgate.protocol import tensors_within
from kgate.rules._beside import usual_call
from kgate.rules._drills import answers, conditions, of_drill, on_workloads
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._state import reached

NAME = "fallback-latched"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "After a call that the kernel refused, the dispatch calls it again, at least with other shapes."
WHY = (
    "A dispatcher that remembers a failure for the whole process turns one odd shape into a slow service: no error, no "
    "wrong number, and a restart that mends it for a day."
)
SATISFY = (
    "Fall back for the call that was refused, and keep no flag; or keep one for the shapes that were refused, which "
    "shows where the manifest has a workload of other shapes. What is known before the call (a package, a device) may "
    "be remembered."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for drill in conditions(run):
        if said := latched_said(run, drill):
            yield of_drill(run, limit, drill, said)
    for name, kernel in run.kernels.items():
        # Where a drill has said so, it is the same flag.
        told = any(latched_said(run, drill) for drill in conditions(run) if drill.kernel == name)
        if not told and (said := refused_said(run, kernel)):
            yield replace(of_kernel(run, limit, kernel, said), name=f"{name}~after a refusal")


def refused_said(run: Run, kernel: Kernel) -> Said | None:
    """By what the manifest declares: the same call before and after one that is refused."""
    usual = usual_call(run, kernel.name)
    if usual is None or not reached(run, SWITCH_ON, usual, "custom"):
        return None
    mine = [variant for case, variant in run.variants.items() if case.kernel == kernel.name]
    shapes = {(v.of, v.change): shapes_of(v) for v in mine if v.workload.refusal}
    # A flag may be kept for the refused shapes: the same ones tell nothing.
    pairs = {
        case: variant
        for case, variant in run.variants.items()
        if variant in mine and variant.behind and shapes.get((variant.of, variant.behind)) != shapes_of(variant)
    }
    for case, variant in pairs.items():
        answer = run.answered(SWITCH_ON, case)
        if answer is not None and answer.facts.get("reached-custom") == 0:
            return Said(
                sentence=f"{kernel.dispatch}, after it was asked {variant.behind}, which it refuses, never calls "
                f"{kernel.custom} again",
                evidence={"calls of custom": f"{reached(run, SWITCH_ON, usual, 'custom')} before, 0 after"},
                advice=advice(kernel),
            )
    return None


def shapes_of(variant: Variant) -> list[tuple[int, ...]]:
    return [tensor.shape for tensor in tensors_within(variant.workload.args.values())]


def latched_said(run: Run, drill: Drill) -> Said | None:
    calls = {
        case: [answer.facts.get(f"reached-custom-{when}") for when in ("before", "again", "other")]
        for case, answer in answers(run, drill)
    }
    latched = [case for case, (before, again, other) in calls.items() if before and again == 0 and not other]
    if not latched:
        return None
    kernel, (before, _, other) = run.kernels[drill.kernel], calls[latched[0]]
    seen = {} if other is None else {"calls of custom with other shapes": "0 after"}
    return Said(
        sentence=f"{kernel.dispatch}, after one call that {kernel.custom} refused, never calls it again, "
        f"{on_workloads(latched)}",
        evidence={"calls of custom": f"{before} before, 0 after", **seen},
        advice=f"Take the flag out of {kernel.dispatch} that remembers the failure, or keep it for the refused shapes "
        f"alone{'; to show that, the manifest needs a workload of other shapes' * (other is None)}.",
    )


def advice(kernel: Kernel) -> str:
    return f"Take the flag out of {kernel.dispatch} that remembers the failure, or keep it for the refused shape alone."
