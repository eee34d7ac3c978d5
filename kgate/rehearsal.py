"""
Launches without a verdict, of jobs as they are given: what the gate measures of itself. Each is in a ledger before the
next one starts, and what the ledger holds is not measured again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kgate.instrument import Companions
from kgate.model import BASE, HEAD, Arm, Event, LaunchTiming, Tree
from kgate.protocol import CaseJob
from kgate.runner import records
from kgate.runner.choice import choice_of
from kgate.runner.ledger import Ledger
from kgate.runner.lockstep import Schedule, run_launch
from kgate.runner.place import Workplace
from kgate.runner.process import Start
from kgate.setting import Emit, Setting
from kgate.worker import nvml


def twice(setting: Setting) -> Setting:
    """The same setting with head in base's place as well: the same code in two arms, in processes of their own."""
    place = setting.workplace
    both = replace(
        place,
        trees={**place.trees, Tree.BASE: place.trees[HEAD.tree]},
        python={**place.python, BASE.tree: place.python[HEAD.tree]},
    )
    return replace(setting, workplace=both, plan=replace(setting.plan, base_kernels=setting.plan.kernels))


@dataclass(frozen=True, kw_only=True)
class Round:
    """One launch: what the ledger calls it, the number that its draws come from, where and how processes start."""

    label: str
    number: int
    workplace: Workplace
    start: Start
    mirrors: int | None = None


class Rehearsal:
    """What has been taken so far, by case and label; why a case has nothing in a launch."""

    def __init__(self, setting: Setting, ledger: Ledger, emit: Emit) -> None:
        self.setting = setting
        self.ledger = ledger
        self.emit = emit
        self.companions = Companions(ledger, setting.identity, setting.plan.target.kind != "cpu")
        self.taken: dict[str, dict[str, LaunchTiming]] = {}
        self.missing: dict[str, str] = {}
        for name in ledger.all("launch"):
            label, _, case = name.partition("|")
            self.recall(label, case)

    def recall(self, label: str, case: str) -> bool:
        stored = self.ledger.read("launch", f"{label}|{case}", records.launch_from_json)
        if stored is None:
            return False
        timing, failures, void = stored
        if timing is not None:
            self.taken.setdefault(case, {})[label] = timing
        elif why := void or next((f.text for f in failures.values()), ""):
            self.missing[case] = why
        return True

    def take(self, this: Round, arms: Mapping[Arm, Sequence[CaseJob]]) -> None:
        """The cases of this round that are not known yet."""
        names = dict.fromkeys(job.case for jobs in arms.values() for job in jobs)
        todo = [name for name in names if not self.ledger.recall("launch", f"{this.label}|{name}")]
        if not todo:
            return
        pending = {arm: tuple(job for job in jobs if job.case in todo) for arm, jobs in arms.items()}
        result = run_launch(
            this.workplace,
            {a: (*jobs, *self.companions.jobs(a, list(pending), this.number)) for a, jobs in pending.items()},
            this.number,
            self.schedule(todo, this.mirrors),
            self.emit,
            start=this.start,
            throttle=partial(nvml.throttled, self.setting.identity.information.get("uuid", "")),
        )
        for name in todo:
            failures = {arm.name: f for arm in pending if (f := result.failures.get((arm.name, name))) is not None}
            kept = records.launch_to_json(result.timings.get(name), failures, result.void.get(name, ""))
            self.ledger.record("launch", f"{this.label}|{name}", kept)
            self.recall(this.label, name)
        self.companions.take(this.number, list(pending), result)
        told = {"launch": this.number, "cases": len(todo), "start_s": result.start_s, "confirming": False}
        self.emit(Event(name="launch-ended", fields=told))

    def schedule(self, names: Sequence[str], mirrors: int | None) -> Schedule:
        """As in a check, but that no output is exported: nothing is judged by it."""
        timed = {name: choice_of(next(iter(self.taken[name].values()))) for name in names if self.taken.get(name)}
        return Schedule(
            method=self.setting.identity.must_match.get("timer", ""),
            mirrors=mirrors,
            export_limit_bytes=0,
            choices={**timed, **self.companions.choices()},
            aside=self.companions.cases,
        )
