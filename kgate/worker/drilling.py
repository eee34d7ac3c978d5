"""
Mode "drill": the dispatch's answers where something is wrong, and which of its functions they came from.

Nothing of the product's is imported before the dispatch is, and nothing for the watch's sake: a module that the product
does not import was not reached.
"""

import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from types import CodeType, FrameType
from typing import Any

from kgate.protocol import Begin, CaseJob, End, Facts, Output, Rung
from kgate.worker import conditions, devices
from kgate.worker.conditions import Around
from kgate.worker.conditions._packages import version_seen
from kgate.worker.control import Control
from kgate.worker.exports import Budget, Target, written
from kgate.worker.faults import Fault, foreign
from kgate.worker.gradients import Within
from kgate.worker.observation import Observation
from kgate.worker.speech import Speech
from kgate.worker.subject import Climbed, Subject, climbing, subject_of
from kgate.worker.watches import innermost


def serve(control: Control) -> bool:
    """False if the device did not survive a case: the rest needs a new process."""
    speech = Speech(control.job.tree)
    speech.listen()
    try:
        condition = conditions.of_name(control.job.condition)
        foreign("environment", partial(condition.install, control.job))
    except Fault as fault:
        refuse_all(control, fault)
        return True
    budget = Budget(control.job.output_limit_bytes)
    for position, case in enumerate(control.job.cases):
        control.say(Begin(case=case.case))
        try:
            climb(case, position, control, budget, speech)
        except Fault as fault:
            control.say(fault.failed(case.case))
            if not devices.alive(control.job.device):
                return False
        else:
            control.say(End(case=case.case))
    return True


def refuse_all(control: Control, fault: Fault) -> None:
    for case in control.job.cases:
        control.say(Begin(case=case.case))
        control.say(fault.failed(case.case))


def climb(case: CaseJob, position: int, control: Control, budget: Budget, speech: Speech) -> None:
    """The rungs environment, import and run, then the facts, then the outputs of the judged call."""
    climbed = partial(control.climbed, case.case)
    seen = Observation(control.job.tree)
    target = Target(case=case.case, out=control.out, prefix=f"case{position}-output", budget=budget)
    try:
        play = Calls(without_adapter(case, control, climbed), seen, control, target)
        with climbing("run", climbed):
            conditions.of_name(control.job.condition).play(play)
        seen.facts.update(play.told())
    finally:
        seen.facts["logged-by"] = speech.names()
        seen.facts["logged"] = bool(speech.names())
        seen.facts["packages-loaded"] = [name for name in case.packages if name in sys.modules]
        seen.facts["versions"] = {name: version_seen(name) for name in case.packages}
        seen.loaded(case)
        control.say(Facts(case=case.case, facts=dict(seen.facts)))
    for output in play.outputs:
        control.say(output)


def without_adapter(case: CaseJob, control: Control, climbed: Climbed) -> Subject:
    """The DSL's own adapter would import what a condition has taken away."""
    return subject_of(replace(case, dsl="torch"), control, climbed)


class Calls:
    """A case's calls, as `conditions.Play` has them, and the outputs of the one that is judged."""

    def __init__(self, subject: Subject, seen: Observation, control: Control, target: Target) -> None:
        self.subject = subject
        self.seen = seen
        self.control = control
        self.job = control.job
        self.target = target
        self.outputs: tuple[Output, ...] = ()
        self.failed: list[str] = []
        self.not_met = self.not_noticed = ""
        watch = subject.case.watch
        self.custom = watch.custom if watch else ""
        self.fallback = watch.fallback if watch else ""

    def told(self) -> dict[str, str]:
        """Why the condition did not come about, or may not have."""
        return {key: why for key, why in (("not-met", self.not_met), ("not-noticed", self.not_noticed)) if why}

    def call(self, when: str = "", around: Around = nullcontext) -> int | None:
        counts = Counts()
        reached: int | None = None
        try:
            with counts.counting():
                returned = self.made("environment" if when == "before" else "run", around)
        finally:
            reached = self.note(counts, when)
            if around is not nullcontext and not when:
                self.seen.facts["failed-backward"] = list(dict.fromkeys(self.failed))
        if not when:
            tensors = foreign("run", partial(self.subject.outputs, returned))
            self.outputs = foreign("run", partial(written, tensors, self.target))
        return reached

    def other(self) -> "Calls | None":
        spare = self.subject.case.spare
        if spare is None:
            return None
        return Calls(without_adapter(spare, self.control, lambda rung, ns: None), self.seen, self.control, self.target)

    def made(self, rung: Rung, around: Around) -> Any:
        """What is missing is the condition's doing, and to be borne; before it, the kernel was never there."""
        backward = self.subject.backward
        subject = replace(self.subject, backward=backward and Within(backward.source, around))
        try:
            return subject.again("run")
        except Fault as fault:
            if rung == "environment":
                text = f"without the condition it does not answer either: {fault.text}"
                raise Fault(rung, "unavailable", text, fault.detail) from None
            if fault.reason == "unavailable":
                raise Fault(rung, "raised", fault.text, fault.detail) from None
            raise

    def note(self, counts: "Counts", when: str) -> int | None:
        """Returns the calls of custom; None if they cannot be told."""
        found = {role: counts.of(entry) for role, entry in (("custom", self.custom), ("fallback", self.fallback))}
        if when:
            self.seen.facts[f"reached-custom-{when}"] = found["custom"] or 0
            return found["custom"]
        for role, calls in found.items():
            if calls is None:
                self.seen.note(f"{role} cannot be watched: it has no Python code of its own")
            else:
                self.seen.facts[f"reached-{role}"] = calls
        return found["custom"]


class Counts:
    """Calls of everything, by code or built-in, so that what is asked for need not be there beforehand."""

    def __init__(self) -> None:
        self.codes: Counter[CodeType] = Counter()
        self.builtins: list[Any] = []

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        def profile(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call":
                self.codes[frame.f_code] += 1
            elif event == "c_call":
                self.builtins.append(argument)

        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def of(self, entry: str) -> int | None:
        """How often `module:function` was called; None if that cannot be told."""
        function = loaded(entry)
        if function is None:
            return 0  # nobody has imported its module, or it is not in it
        function, code, _ = innermost(function)
        if code is not None:
            return self.codes[code]
        return sum(called == function for called in self.builtins) if callable_in_c(function) else None


def loaded(entry: str) -> Callable[..., Any] | None:
    """The function, if its module has been imported."""
    module_name, _, path = entry.partition(":")
    found: Any = sys.modules.get(module_name)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found  # type: ignore[no-any-return]  # whatever the module has there


def callable_in_c(function: Any) -> bool:
    return type(function).__name__ in ("builtin_function_or_method", "method-wrapper")
