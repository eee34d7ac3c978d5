"""One job: what a worker process does between Hello and Bye."""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kgate.protocol import SPOILED, Begin, Bye, CaseJob, End, Facts
from kgate.worker import (
    compiling,
    devices,
    dispatchers,
    drilling,
    holding,
    lockstep,
    moments,
    observation,
    probe,
    surroundings,
)
from kgate.worker import control as controls
from kgate.worker.artifacts import artifacts_of
from kgate.worker.control import Control
from kgate.worker.exports import Budget, Target, written
from kgate.worker.faults import Fault, foreign
from kgate.worker.subject import subject_of, warm
from kgate.worker.surroundings import Surroundings

BUSY = 5.0  # times as long as alone: a machine so busy is waited for


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
            brief = Brief(control.job.device)
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
        case "compare":
            for case in control.job.cases:
                if not answered(case, control, partial(holding.hold, case, control)):
                    return SPOILED
        case "lockstep":
            warm(control.job)
            lockstep.serve(control)
    control.say(Bye(cases=len(control.job.cases)))
    return 0


class Brief:
    """
    What cases that are to be brief have taken, by their kernel: what stands before the stroke in their names. On a CPU
    what this process and its compilers have worked, so that a machine that has other things to do leaves out no more
    of them; but no less than a part of the time by the clock.
    """

    def __init__(self, device: str) -> None:
        self.on_cpu = device == "cpu"
        self.spent_s: dict[str, float] = {}

    def within(self, case: CaseJob, steps: Callable[[], None]) -> None:
        kernel = case.case.partition("/")[0]
        if self.spent_s.setdefault(kernel, 0.0) > case.brief_s:
            raise Fault("run", "unavailable", f"left out: others like it have taken {case.brief_s:g} s")
        worked_s, began_s = work_s(), time.perf_counter()
        try:
            steps()
        finally:
            by_clock_s = time.perf_counter() - began_s
            taken_s = max(by_clock_s / BUSY, work_s() - worked_s) if self.on_cpu else by_clock_s
            self.spent_s[kernel] += taken_s


def work_s() -> float:
    """Of all threads, and of processes that were waited for."""
    others = os.times()
    return time.process_time() + others.children_user + others.children_system


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
        seen.variables = surroundings.variables()
        tensors = observation.first_call(subject, seen, climbed)
        if around is not None:
            moments.tell(seen, "surroundings", around.changes())
        # Written before any further call, which may write over what the first one returned.
        target = Target(case=case.case, out=control.out, prefix=f"case{position}-output", budget=budget)
        outputs = foreign("run", partial(written, tensors, target))
        others = moments.observe(subject, seen, tensors, target)
        del tensors
        if not case.brief_s or case.watch is not None:
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
