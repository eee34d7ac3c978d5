"""
The second half of a run: launches, each with every arm alive at once, until the cases are decided or looks run out.

A launch is the unit of statistics. What a launch gives is written to the ledger before the next one starts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgate import stats
from kgate.compare import compare
from kgate.correctness import Answers, bounds_of
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    TIMED,
    Arm,
    Case,
    Comparison,
    Decision,
    Event,
    Failure,
    Latency,
    LaunchTiming,
    Level,
    Measurement,
    Outcome,
    Tensor,
    Tree,
    of_base,
)
from kgate.plan import Looks, can_act, job, jobs, looks, same_signature
from kgate.protocol import CaseJob
from kgate.runner import records
from kgate.runner.lockstep import Launch, Schedule, run_launch
from kgate.runner.outputs import run_outputs
from kgate.setting import Emit, Setting


@dataclass(frozen=True, kw_only=True)
class Times:
    """Latency by case; outcomes and comparisons of samples exported from the timed loop, under the arm `TIMED`."""

    latency: Mapping[Case, Latency]
    outcomes: Mapping[tuple[Arm, Case], Outcome]
    comparisons: Mapping[tuple[Arm, Case], tuple[Comparison, ...]]
    start_s: Mapping[str, float] = field(default_factory=dict)  # by arm: how long one process took to be ready


def times(setting: Setting, answers: Answers, levels: Mapping[str, Level], only: int, emit: Emit) -> Times:
    """`only` > 0 fixes the number of launches; otherwise looks follow each other while a case is open."""
    watch = Stopwatch(setting=setting, answers=answers, emit=emit)
    schedule = Looks(at=(only,)) if only else looks(setting.plan.target)
    open_cases = watch.timeable()
    planned = 2 * len(open_cases)
    done = 0
    while open_cases and (until := schedule.next_after(done)) is not None:
        for launch in range(done, until):
            watch.launch(launch, open_cases)
        done = until
        found = watch.latency(planned)
        open_cases = [c for c in open_cases if c in found and is_open(found[c])] if can_act(levels) else []
    watch.check_samples()
    return Times(
        latency=watch.latency(planned),
        outcomes=watch.outcomes,
        comparisons=watch.comparisons,
        start_s=watch.start_s,
    )


def is_open(latency: Latency) -> bool:
    """Whether another look could change an answer: head against base or fallback is still inconclusive."""
    return any(r.above == HEAD.name and r.decision is Decision.INCONCLUSIVE for r in latency.ratios)


class Stopwatch:
    """What has been timed so far. The one mutable value of this stage; it never leaves it."""

    def __init__(self, *, setting: Setting, answers: Answers, emit: Emit) -> None:
        self.setting = setting
        self.answers = answers
        self.emit = emit
        self.launches: dict[Case, list[LaunchTiming]] = {}
        self.outcomes: dict[tuple[Arm, Case], Outcome] = {}
        self.comparisons: dict[tuple[Arm, Case], tuple[Comparison, ...]] = {}
        self.samples: list[tuple[Case, int, int, tuple[Tensor, ...]]] = []  # case, launch, seed, outputs
        self.start_s: dict[str, float] = {}

    def timeable(self) -> list[Case]:
        """Only a right answer is worth timing: head answered, and its comparison holds or could not be made."""
        return [
            case
            for case in self.setting.plan.cases
            if isinstance(self.answers.outcomes.get((HEAD, case)), Measurement)
            and all(c.holds for c in self.answers.comparisons.get((HEAD, case), ()))
        ]

    def launch(self, number: int, cases: Sequence[Case]) -> None:
        """One launch of the cases that the ledger does not hold yet."""
        pending = [c for c in cases if not self.recall(number, c)]
        if not pending:
            return
        arms = {arm: self.jobs_of(arm, pending) for arm in (HEAD, BASE, FALLBACK)}
        result = run_launch(
            self.setting.workplace,
            {a: j for a, j in arms.items() if j},
            number,
            Schedule(),
            self.emit,
            start=self.setting.launch_start,
        )
        self.file(number, pending, result)
        self.emit(
            Event(name="launch-ended", fields={"launch": number, "cases": len(pending), "start_s": result.start_s})
        )

    def jobs_of(self, arm: Arm, cases: Iterable[Case]) -> tuple[CaseJob, ...]:
        """An arm is timed on the cases that it answered."""
        answered = [c for c in cases if isinstance(self.answers.outcomes.get((arm, c)), Measurement)]
        return jobs(self.setting.plan, arm, answered)

    def recall(self, number: int, case: Case) -> bool:
        stored = self.setting.ledger.recall("launch", f"{number}|{case.name}")
        if stored is None:
            return False
        if stored:
            self.launches.setdefault(case, []).append(records.timing_from_json(stored))
        checked = self.setting.ledger.recall("timed", f"{number}|{case.name}")
        if checked is not None:
            self.comparisons[TIMED, case] = (
                *self.comparisons.get((TIMED, case), ()),
                *records.comparisons_from_json(checked),
            )
        return True

    def file(self, number: int, cases: Sequence[Case], result: Launch) -> None:
        self.start_s.update(result.start_s)
        for case in cases:
            timing = result.timings.get(case.name)
            if timing is not None:
                self.launches.setdefault(case, []).append(timing)
            failure = result.failures.get((HEAD.name, case.name))
            if failure is not None:
                self.outcomes[TIMED, case] = failure
            self.setting.ledger.record(
                "launch", f"{number}|{case.name}", records.timing_to_json(timing) if timing else {}
            )
            if (HEAD.name, case.name) in result.exported:
                seed, outputs = result.exported[HEAD.name, case.name]
                self.samples.append((case, number, seed, outputs))

    def latency(self, planned: int) -> dict[Case, Latency]:
        """`planned` is the number of tests of the run, fixed before the first launch and never shrunk."""
        return {case: stats.latency(launches, planned) for case, launches in self.launches.items() if launches}

    def check_samples(self) -> None:
        """Re-create each exported sample's inputs for the reference and compare: was the timed work the right work?"""
        plan = self.setting.plan
        for arm in (of_base(REFERENCE), REFERENCE):
            mine = {
                f"{case.name}#{launch}": (case, launch, seed, outputs)
                for case, launch, seed, outputs in self.samples
                if (arm.tree is Tree.BASE) == same_signature(plan, case)
            }
            if not mine:
                continue
            work = [replace(job(plan, arm, case), case=name, seed=seed) for name, (case, _, seed, _) in mine.items()]
            references = run_outputs(self.setting.workplace, arm, work, {}, self.emit, start=self.setting.start)
            for name, (case, launch, _, outputs) in mine.items():
                self.check_sample(case, launch, outputs, references[name])

    def check_sample(self, case: Case, launch: int, outputs: Sequence[Tensor], reference: Outcome) -> None:
        if isinstance(reference, Failure):
            return
        fallback = self.answers.outcomes.get((FALLBACK, case))
        like = fallback.outputs if isinstance(fallback, Measurement) else None
        workload = self.setting.plan.workloads[case]
        own = self.answers.comparisons.get((FALLBACK, case), ())
        bounds = bounds_of(workload, self.setting.plan.target, HEAD, like or outputs, own)
        found = compare(outputs, reference.outputs, like, bounds)
        self.comparisons[TIMED, case] = (*self.comparisons.get((TIMED, case), ()), *found)
        self.setting.ledger.record("timed", f"{launch}|{case.name}", records.comparisons_to_json(found))
