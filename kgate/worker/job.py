"""One job: what a worker process does between Hello and Bye."""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kgate.protocol import SPOILED, Begin, Bye, CaseJob, End, Facts
from kgate.worker import compiling, devices, dispatchers, drilling, lockstep, moments, observation, probe
from kgate.worker import control as controls
from kgate.worker.artifacts import artifacts_of
from kgate.worker.control import Control
from kgate.worker.exports import Budget, Target, written
from kgate.worker.faults import Fault, foreign
from kgate.worker.subject import subject_of, warm
from kgate.worker.surroundings import Surroundings


def run(folder: Path) -> int:
    """Read the job of this control directory and do it; the exit code. Raises ProtocolError for a job that is none."""
    control = controls.opened(folder)
    os.environ.update(control.job.env)
    match control.job.mode:
        case "probe":
            control.say(probe.identity(control.job.device, control.job.measure))
        case "describe":
            for entry in control.job.entries:
                control.say(dispatchers.described(entry, control.job.tree))
        case "outputs":
            warm(control.job)
            budget = Budget(control.job.output_limit_bytes)
            brief = Brief()
            for position, case in enumerate(control.job.cases):
                steps = partial(climb, case, position, control, budget)
                if not answered(case, control, partial(brief.within, case, steps) if case.brief_s else steps):
                    return SPOILED
        case "warm":
            warm(control.job)
            for case in control.job.cases:
                if not answered(case, control, partial(call_once, case, control)):
                    return SPOILED
        case "compile":
            compiling.serve(control)
        case "drill":
            if not drilling.serve(control):
                return SPOILED
        case "lockstep":
            warm(control.job)
            lockstep.serve(control)
    control.say(Bye(cases=len(control.job.cases)))
    return 0


class Brief:
    """What cases that are to be brief have taken, by their kernel: what stands before the stroke in their names."""

    def __init__(self) -> None:
        self.spent_s: dict[str, float] = {}

    def within(self, case: CaseJob, steps: Callable[[], None]) -> None:
        kernel = case.case.partition("/")[0]
        if self.spent_s.setdefault(kernel, 0.0) > case.brief_s:
            raise Fault("run", "unavailable", f"left out: others like it have taken {case.brief_s:g} s")
        began = time.perf_counter()
        try:
            steps()
        finally:
            self.spent_s[kernel] += time.perf_counter() - began


def answered(case: CaseJob, control: Control, steps: Callable[[], None]) -> bool:
    """One case from Begin to End or Failed; False if the device did not survive it."""
    control.say(Begin(case=case.case))
    try:
        steps()
    except Fault as fault:
        control.say(fault.failed(case.case))
        return devices.alive(control.job.device)
    control.say(End(case=case.case))
    return True


def call_once(case: CaseJob, control: Control) -> None:
    """The rungs from environment to run, for what they leave in the caches, what compiling took, what tuners picked."""
    climbed = partial(control.climbed, case.case)
    seen = observation.Observation(control.job.tree)
    observation.first_call(subject_of(case, control, climbed), seen, climbed)
    picked = {key: told for key, told in seen.facts.items() if key in ("tuned", "spaces", "configurations")}
    control.say(Facts(case=case.case, facts=picked))
    target = Target(case=case.case, out=control.out, prefix="compiled", budget=Budget(0))
    for artifact in artifacts_of(case.dsl, seen.built, target, write=False):
        control.say(artifact)


def climb(case: CaseJob, position: int, control: Control, budget: Budget) -> None:
    """The rungs from environment to run, then the facts, then the outputs."""
    climbed = partial(control.climbed, case.case)
    seen = observation.Observation(control.job.tree)
    try:
        around = foreign("environment", partial(Surroundings, control.job.tree)) if case.moments else None
        subject = subject_of(case, control, climbed)
        tensors = observation.first_call(subject, seen, climbed)
        if around is not None:
            moments.tell(seen, "surroundings", around.changes())
        # Written before any further call, which may write over what the first one returned.
        target = Target(case=case.case, out=control.out, prefix=f"case{position}-output", budget=budget)
        outputs = foreign("run", partial(written, tensors, target))
        others = moments.observe(subject, seen, tensors, target)
        del tensors
        if not case.brief_s:
            observation.more_calls(subject, seen, control.job.tree)
    finally:
        if not case.brief_s:
            seen.loaded(case)
        control.say(Facts(case=case.case, facts=dict(seen.facts)))
    target = Target(case=case.case, out=control.out, prefix=f"case{position}-compiled", budget=budget)
    for artifact in artifacts_of(case.dsl, seen.built, target, write=control.job.artifacts):
        control.say(artifact)
    for output in (*outputs, *others):
        control.say(output)
