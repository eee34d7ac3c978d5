"""
Launches of a run, each with every arm alive at once. What one gives is in the ledger before the next one starts, and
what the ledger holds is not measured again.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kgate import holding, idle, residency
from kgate.allowance import NO_END, Allowance, Purse
from kgate.answers import Answers, question
from kgate.instrument import Companions
from kgate.lanes import by_device, dealt, elsewhere
from kgate.model import (
    HEAD,
    REFERENCE,
    Arm,
    Case,
    Comparison,
    Failure,
    LaunchTiming,
    Measurement,
    Outcome,
    Tree,
    of_base,
)
from kgate.plan import LOCKSTEP, job, jobs, same_signature
from kgate.protocol import CaseJob
from kgate.runner import parallel, records
from kgate.runner.choice import choice_of
from kgate.runner.lockstep import Launch, Schedule, run_launch
from kgate.runner.milestones import launch_ended, look_started
from kgate.runner.outputs import run_outputs
from kgate.runner.roofline import floor_of
from kgate.samples import FILED_AS, Sample
from kgate.sequence import PER_LOOK
from kgate.setting import Emit, Setting, fresh_zygotes, unexchanged
from kgate.worker import nvml


class Stopwatch:
    """What has been timed so far. The one mutable value of this stage; it never leaves it."""

    def __init__(
        self,
        *,
        setting: Setting,
        answers: Answers,
        emit: Emit,
        allowance: Allowance = NO_END,
        run_launch: Callable[..., Launch] = run_launch,
    ) -> None:
        self.setting = setting
        self.answers = answers
        self.emit = emit
        self.run_launch = run_launch
        weights = {case: workload.weight for case, workload in setting.plan.workloads.items()}
        self.purse = Purse(allowance, weights, setting.plan.target.kind, len(setting.devices))
        self.busy: str | None = None  # None: nobody has looked yet
        memory_bytes = int(setting.identity.must_match.get("memory-bytes", 0))
        self.crowded = residency.crowded(setting.plan.cases, LOCKSTEP, answers.outcomes, memory_bytes)
        self.remarks = residency.told(self.crowded)
        self.homes: dict[Case, str] = {}  # the GPU that a case was last timed on
        self.launches: dict[Case, list[LaunchTiming]] = {}
        self.taken: set[tuple[int, Case]] = set()
        self.outcomes: dict[tuple[Arm, Case], Outcome] = {}
        self.comparisons: dict[tuple[Arm, Case], tuple[Comparison, ...]] = {}
        self.samples: list[Sample] = []
        self.start_s: dict[str, float] = {}
        self.companions = Companions(setting.ledger, setting.identity, setting.plan.target.kind != "cpu")
        self.void: dict[Case, str] = {}  # why a launch had no times of a case though nothing failed

    def timeable(self, cases: Iterable[Case]) -> list[Case]:
        """Only a right answer is worth timing: head answered, and its comparison holds or could not be made."""
        return [
            case
            for case in cases
            if isinstance(self.answers.outcomes.get((HEAD, case)), Measurement)
            and all(c.holds for c in self.answers.comparisons.get((HEAD, case), ()))
        ]

    def measure(self, numbers: Sequence[int], cases: Sequence[Case], *, confirming: bool) -> set[Case]:
        """
        Launches that the ledger does not hold yet; those that confirm come from zygotes of their own, on another GPU
        where there is one. Returns the cases that there is no time for.
        """
        left_s = self.purse.left_s(time.monotonic(), confirming=confirming)
        self.emit(look_started(len(numbers), len(cases), len(self.setting.plan.cases), left_s, confirming=confirming))
        missing = {number: pending for number in numbers if (pending := self.pending(number, cases))}
        devices = self.setting.devices
        self.homes.update(elsewhere(self.homes, cases, devices) if confirming else dealt(cases, devices))
        if missing and (busy := self.unrest()):
            self.void.update(dict.fromkeys((case for pending in missing.values() for case in pending), busy))
            return set()
        if not confirming or not missing:
            return self.take_launches(missing, self.setting, confirming=False)
        if not self.purse.affordable(missing, time.monotonic(), confirming=True):
            return {case for pending in missing.values() for case in pending}
        if why := unexchanged(self.setting):
            self.remarks = (*self.remarks, f"confirmed without exchanging the trees of head and base: {why}")
        with fresh_zygotes(self.setting, self.emit) as here:
            return self.take_launches(missing, here, confirming=True)

    def unrest(self) -> str:
        """
        Before the first launch: why no times can be taken, as a GPU is not idle and waiting does not make it so. What
        may stand by is a remark.
        """
        if self.busy is None:
            found = [idle.doubt(name, uuid) for name, uuid in self.setting.uuids.items()]
            self.busy = next((text for fit, text in found if not fit), "")
            self.remarks = (*self.remarks, *(text for fit, text in found if fit and text))
        return self.busy

    def take_launches(self, left: dict[int, list[Case]], here: Setting, *, confirming: bool) -> set[Case]:
        cut: set[Case] = set()
        for number in list(left):
            left = {n: [case for case in pending if case not in cut] for n, pending in left.items()}
            cut |= set(left[number]) - set(self.purse.affordable(left, time.monotonic(), confirming=confirming))
            if chosen := [case for case in left.pop(number) if case not in cut]:
                # Confirming: the order of arms of one of the launches that made the claim, turned round.
                cut |= self.launch(number, chosen, here, mirrors=number % PER_LOOK if confirming else None)
        return cut

    def pending(self, number: int, cases: Iterable[Case]) -> list[Case]:
        return [case for case in cases if (number, case) not in self.taken and not self.recall(number, case)]

    def launch(self, number: int, pending: Sequence[Case], here: Setting, mirrors: int | None = None) -> set[Case]:
        """
        Each GPU's share side by side with the others', and the controls on one of them in turn. Returns the cases that
        time has run out for on the way.
        """
        began = time.monotonic()
        shares = {device: self.work(cases) for device, cases in by_device(self.homes, pending).items()}
        controlled = list(shares)[number % len(shares)]
        arms = list(shares[controlled])
        for arm in arms:
            shares[controlled][arm] = (*shares[controlled][arm], *self.companions.jobs(arm, arms, number))
        schedule, results = self.schedule(pending, mirrors), {}

        def take(device: str) -> None:
            results[device] = self.launched(number, shares[device], device, schedule, here)

        parallel.run(list(shares), len(shares), take)
        taken = {case: results[self.homes[case]] for case in pending}
        late = {case for case, result in taken.items() if case.name in result.skipped}
        for case, result in taken.items():
            if case not in late:
                self.file(number, case, result)
        self.companions.take(number, arms, results[controlled])
        case_s = {case: result.case_s[case.name] for case, result in taken.items() if case.name in result.case_s}
        self.purse.reckon(case_s, time.monotonic() - began)
        for result in results.values():
            self.start_s.update(result.start_s)
        self.emit(launch_ended(number, len(pending), tuple(results.values()), confirming=mirrors is not None))
        return late

    def work(self, cases: Sequence[Case]) -> dict[Arm, tuple[CaseJob, ...]]:
        return {arm: work for arm in LOCKSTEP if (work := self.jobs_of(arm, cases))}

    def launched(
        self, number: int, work: Mapping[Arm, Sequence[CaseJob]], device: str, schedule: Schedule, here: Setting
    ) -> Launch:
        return self.run_launch(
            replace(here.workplace, device=device),
            work,
            number,
            schedule,
            self.emit,
            start=here.launch_start,
            throttle=partial(nvml.throttled, self.setting.uuids.get(device, "")),
        )

    def schedule(self, cases: Sequence[Case], mirrors: int | None) -> Schedule:
        """A case that has been timed is timed the same way again, in this run and in one that goes on with it."""
        workloads, peaks = self.setting.plan.workloads, self.setting.identity.peaks
        timed = {c.name: choice_of(self.launches[c][0]) for c in cases if self.launches.get(c)}
        return Schedule(
            method=self.setting.identity.must_match.get("timer", ""),
            mirrors=mirrors,
            choices={**timed, **self.companions.choices()},
            aside=self.companions.cases,
            floors={c.name: floor for c in cases if (floor := floor_of(workloads[c], peaks)) is not None},
            alternating=frozenset(case.name for case in self.crowded),
            until_s=self.purse.allowance.until_s(confirming=mirrors is not None),
        )

    def jobs_of(self, arm: Arm, cases: Iterable[Case]) -> tuple[CaseJob, ...]:
        """An arm is timed on the cases that it answered."""
        answered = [c for c in cases if isinstance(self.answers.outcomes.get((arm, c)), Measurement)]
        return jobs(self.setting.plan, arm, answered)

    def file(self, number: int, case: Case, result: Launch) -> None:
        """Into the ledger first: what a launch gave counts for every later run of the same key, its failures too."""
        timing, void = result.timings.get(case.name), result.void.get(case.name, "")
        failures = {a.name: f for a in FILED_AS if (f := result.failures.get((a.name, case.name))) is not None}
        self.setting.ledger.record("launch", f"{number}|{case.name}", records.launch_to_json(timing, failures, void))
        self.take(number, case, timing, failures, void)
        for arm in FILED_AS:
            if (arm.name, case.name) in result.exported:
                seed, outputs = result.exported[arm.name, case.name]
                self.samples.append(Sample(arm=arm, case=case, launch=number, seed=seed, outputs=outputs))
                kept = Measurement(outputs=outputs, facts={"seed": seed})
                self.setting.ledger.record("sample", self.samples[-1].name, records.outcome_to_json(kept))

    def take(
        self, number: int, case: Case, timing: LaunchTiming | None, failures: Mapping[str, Failure], void: str
    ) -> None:
        self.taken.add((number, case))
        if void:
            self.void[case] = void
        if timing is not None:
            self.launches.setdefault(case, []).append(timing)
        for arm, filed in FILED_AS.items():
            if arm.name in failures:
                self.outcomes[filed, case] = failures[arm.name]

    def recall(self, number: int, case: Case) -> bool:
        """
        Take one launch of a case from the ledger, with the samples that still wait to be compared.

        A launch whose sample is gone unseen counts as not held: its times would be believed without their proof.
        """
        ledger = self.setting.ledger
        stored = ledger.read("launch", f"{number}|{case.name}", records.launch_from_json)
        if stored is None:
            return False
        samples = [s for arm in FILED_AS if (s := self.recalled_sample(arm, case, number)) is not None]
        unseen = [s for s in samples if ledger.recall("timed", s.name) is None]
        if not all(tensor.path.is_file() for s in unseen for tensor in s.outputs):
            return False
        self.take(number, case, *stored)
        self.samples += unseen
        for sample in samples:
            if (found := ledger.read("timed", sample.name, records.comparisons_from_json)) is not None:
                self.add(sample, found)
        return True

    def recalled_sample(self, arm: Arm, case: Case, number: int) -> Sample | None:
        kept = self.setting.ledger.read("sample", f"{arm.name}|{number}|{case.name}", records.outcome_from_json)
        if not isinstance(kept, Measurement):
            return None
        return Sample(arm=arm, case=case, launch=number, seed=int(kept.facts["seed"]), outputs=kept.outputs)

    def check_samples(self) -> None:
        """Re-create each exported sample's inputs for the reference and compare: was the timed work the right work?"""
        plan = self.setting.plan
        for arm in (of_base(REFERENCE), REFERENCE):
            mine = [s for s in self.samples if (arm.tree is Tree.BASE) == same_signature(plan, s.case)]
            # Arms of one launch saw the same inputs, so they share one reference.
            work = {s.inputs: replace(job(plan, arm, s.case), case=s.inputs, seed=s.seed) for s in mine}
            if not work:
                continue
            references = run_outputs(
                self.setting.workplace, arm, tuple(work.values()), {}, self.emit, start=self.setting.start
            )
            self.compare(mine, references)

    def compare(self, samples: Iterable[Sample], references: Mapping[str, Outcome]) -> None:
        """`references` by the name of their inputs; a sample whose reference failed has nothing to be compared with."""
        asked = {
            sample: sample.asked(
                question(self.setting, self.answers, sample.arm, sample.case, sample.outputs, reference)
            )
            for sample in samples
            if isinstance(reference := references[sample.inputs], Measurement)
        }
        for sample, found in zip(asked, holding.answers(self.setting, tuple(asked.values())), strict=True):
            self.add(sample, found)
            self.setting.ledger.record("timed", sample.name, records.comparisons_to_json(found))

    def add(self, sample: Sample, found: tuple[Comparison, ...]) -> None:
        key = (FILED_AS[sample.arm], sample.case)
        self.comparisons[key] = (*self.comparisons.get(key, ()), *found)
