"""
The second half of a run: launches until the cases are decided or looks run out. What is asked, and of whom, is fixed
here before the first launch; how looks follow each other is sequence.py's, how a launch is taken stopwatch.py's.
"""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kgate import idle, sequence, tunings, twins
from kgate.allowance import NO_END, Allowance
from kgate.answers import Answers
from kgate.decision import Question, answered, evidence
from kgate.margins import MARGINS
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    Arm,
    Baseline,
    Case,
    Comparison,
    Event,
    Instrument,
    Latency,
    LaunchTiming,
    Level,
    Measurement,
    Outcome,
    Ratio,
    Shift,
)
from kgate.plan import ROUGH_LOOK, Looks, Plan, acting, looks, same_signature
from kgate.runner.ledger import Ledger
from kgate.runner.lockstep import Launch, run_launch
from kgate.runner.place import Workplace
from kgate.sequence import Agenda, confirming_numbers
from kgate.setting import Emit, Setting
from kgate.stats import Prior, is_time
from kgate.stopwatch import Stopwatch


@dataclass(frozen=True, kw_only=True)
class Times:
    """
    Latency by case and, as the mean over its workloads, by kernel; outcomes and comparisons of samples exported from
    the timed loop, under the arm `TIMED`.
    """

    latency: Mapping[Case, Latency] = field(default_factory=dict)
    outcomes: Mapping[tuple[Arm, Case], Outcome] = field(default_factory=dict)
    comparisons: Mapping[tuple[Arm, Case], tuple[Comparison, ...]] = field(default_factory=dict)
    paces: Mapping[str, tuple[Ratio, ...]] = field(default_factory=dict)
    shift: Shift | None = None
    instrument: Instrument | None = None
    start_s: Mapping[str, float] = field(default_factory=dict)  # by arm: how long one process took to be ready
    void: Mapping[Case, str] = field(default_factory=dict)  # why a launch had no times of it though nothing failed
    checked_only: frozenset[Case] = frozenset()
    over_budget: tuple[Case, ...] = ()  # left without a verdict, since there was no time for them
    remarks: tuple[str, ...] = ()  # of the GPU


AGAIN = "again"  # the ledger's chapter of what is measured a second time


def times(
    setting: Setting,
    answers: Answers,
    levels: Mapping[str, Level],
    only: int,
    emit: Emit,
    allowance: Allowance = NO_END,
) -> Times:
    """
    `only` > 0 fixes the number of launches, and one look; otherwise looks follow each other while a case is open.

    Where the run's own controls fail, all is measured once more, on a GPU that is idle if waiting can make it so. The
    times of the first try decide nothing then; what was wrong with its outputs still is.
    """

    tuned = tunings.complete(setting, answers, emit)

    def launch(place: Workplace, work: tunings.Work, number: int, *arguments: Any, **named: Any) -> Launch:
        return run_launch(place, tunings.handed_out(tuned, work, number), number, *arguments, **named)

    def watch(here: Setting) -> Stopwatch:
        return Stopwatch(setting=here, answers=answers, emit=emit, allowance=allowance, run_launch=launch)

    def prepare(first: Instrument) -> None:
        text = f"controls failed ({'; '.join(first.faults)}): measuring again on an idle GPU"
        emit(Event(name="note", fields={"arm": "", "text": text}))
        idle.wait(setting.identity.information.get("uuid", ""))

    return twice(setting, lambda here: decided(watch(here), levels, only), prepare)


def twice(setting: Setting, decide: Callable[[Setting], Times], prepare: Callable[[Instrument], None]) -> Times:
    """Decided from what the ledger's first chapter has, and where the controls fail, after `prepare`, from another."""
    first = decide(setting)
    if first.instrument is None or not first.instrument.voids:
        return first
    prepare(first.instrument)
    return second(first, decide(replace(setting, ledger=setting.ledger.within(AGAIN))))


def second(first: Times, times: Times) -> Times:
    """What was wrong with outputs in the first try still is."""
    return replace(
        times,
        instrument=replace(times.instrument, again=True) if times.instrument else None,
        outcomes={**times.outcomes, **first.outcomes},
        comparisons={
            key: (*first.comparisons.get(key, ()), *times.comparisons.get(key, ()))
            for key in first.comparisons.keys() | times.comparisons.keys()
        },
    )


def decided(watch: Stopwatch, levels: Mapping[str, Level], only: int, at: tuple[int, ...] = ()) -> Times:
    """With launches as `watch` takes them; `at`: looks that were planned elsewhere."""
    setting, answers, acts = watch.setting, watch.answers, acting(levels)
    stored = comparable_cases(setting)
    rough = frozenset() if at or only else rough_cases(setting.plan, stored, acts)
    planned = Looks(at=at or (only,)) if at or only else looks(setting.plan.target, bool(acts), bool(rough))
    errors = shared_out(setting.ledger, planned)
    first = min(planned.at[0], looks(setting.plan.target).at[0])
    untimed = checked_only(setting.plan, answers)
    alike = twins.of(setting, answers)
    timed = replace(setting.plan, cases=tuple(c for c in setting.plan.cases if c not in untimed))
    todo = agenda(timed, stored, errors, min(MARGINS.confirming_launches, first), acts, alike)
    todo = replace(todo, rough=rough, rough_from=ROUGH_LOOK if rough else todo.rough_from)
    timeable = watch.timeable(timed.cases)
    for look in setting.ledger.all("look"):
        # A confirmation of an earlier run is evidence like any other, also where this run does not look there.
        for number in confirming_numbers(int(look), MARGINS.confirming_launches):
            watch.pending(number, timeable)
    found = sequence.follow(todo, timeable, watch.launches, watch.measure)
    watch.check_samples()
    seen = {c: latency(todo, setting.plan, c, taken, found) for c, taken in watch.launches.items() if taken}
    seen.update({c: twins.passed(todo, c, seen[c]) for c in alike & seen.keys()})
    return Times(
        latency=seen,
        outcomes=watch.outcomes,
        comparisons=watch.comparisons,
        paces=paces(setting.plan, found),
        shift=found.shift,
        instrument=watch.companions.judged() if watch.launches else None,
        start_s=watch.start_s,
        void=watch.void,
        checked_only=untimed,
        over_budget=tuple(case for case in timed.cases if case in found.cut),
        remarks=(
            *watch.remarks,
            *twins.told(alike, seen),
            *tunings.remarks(tunings.known(setting, answers), watch.launches),
        ),
    )


def rough_cases(plan: Plan, stored: Baseline | None, acts: frozenset[str]) -> frozenset[Case]:
    """Those whose history says that 32 launches will not decide them where a decision acts: they get a look more."""
    return frozenset(
        case
        for case in plan.cases
        for rival in acts
        if (known := prior(stored, (case,), rival)) is not None and known.variance > MARGINS.rough_spread**2
    )


def checked_only(plan: Plan, answers: Answers) -> frozenset[Case]:
    """
    Cases whose time means nothing: production never sees them, which a weight of 0 says, or there is nothing to
    compute. Asked before the first launch, so that they are none of the tests that share the error rate.
    """

    def idle(case: Case) -> bool:
        answer = answers.outcomes.get((HEAD, case))
        return isinstance(answer, Measurement) and answer.empty

    return frozenset(case for case in plan.cases if not plan.workloads[case].weight or idle(case))


def shared_out(ledger: Ledger, planned: Looks) -> dict[int, float]:
    """The error of each look, on record before the first launch: who interrupts a run has looked all the same."""
    before = {int(look): float(error) for look, error in ledger.all("look").items()}
    errors = sequence.spending(planned.at, before)
    for look, error in errors.items():
        if look not in before:
            ledger.record("look", str(look), error)
    return errors


def agenda(
    plan: Plan,
    stored: Baseline | None,
    errors: Mapping[int, float],
    confirming: int,
    acts: frozenset[str],
    identical: frozenset[Case] = frozenset(),
) -> Agenda:
    """
    Every case and every kernel of several workloads, against base where base is asked, and the fallback. Base is not
    asked of `identical` cases, which run its code.
    """
    alone = [(case,) for case in plan.cases]
    together = [tuple(c for c in plan.cases if c.kernel == name) for name in plan.kernels]
    asked = [
        question
        for cases in (*alone, *(cases for cases in together if len(cases) > 1))
        for question in questions(plan, cases, stored)
        if question.below != BASE.name or not identical & set(cases)
    ]
    return Agenda(questions=tuple(asked), errors=errors, confirming=confirming, acting=acts)


def questions(plan: Plan, cases: tuple[Case, ...], stored: Baseline | None) -> Iterable[Question]:
    if all(same_signature(plan, case) for case in cases):
        yield Question(cases=cases, above=HEAD.name, below=BASE.name, prior=prior(stored, cases, BASE.name))
    yield Question(
        cases=cases,
        above=HEAD.name,
        below=FALLBACK.name,
        wanted=plan.kernels[cases[0].kernel].min_speedup or 1.0,
        prior=prior(stored, cases, FALLBACK.name),
    )


def comparable_cases(setting: Setting) -> Baseline | None:
    """The stored baseline where its noise is this run's: the same fingerprint, the same timer."""
    stored = setting.stored
    if stored is None or stored.fingerprint.differences(setting.fingerprint):
        return None
    return stored if stored.method == setting.identity.must_match.get("timer", "") else None


def prior(stored: Baseline | None, cases: tuple[Case, ...], rival: str) -> Prior | None:
    """Of one case; how far a kernel's mean varies is not stored."""
    case = stored.cases.get(cases[0].stable_name) if stored and len(cases) == 1 else None
    noise = case.noise.get(rival) if case else None
    return Prior.of(noise.spread_log, noise.freedom) if noise else None


def latency(
    agenda: Agenda, plan: Plan, case: Case, launches: Sequence[LaunchTiming], found: sequence.Answers
) -> Latency:
    """All that a case's launches say, in the order of their numbers."""
    taken = tuple(sorted(launches, key=lambda t: t.launch))
    arms = dict.fromkeys(arm for launch in taken for arm in launch.samples_ns)
    ratios = [ratio for q, ratio in found.ratios.items() if q.cases == (case,)]
    ratios += excuse(agenda, plan, case, taken)
    return Latency(
        launches=taken,
        median_ns={arm: time for arm in arms if (time := median_ns(taken, arm)) is not None},
        ratios=tuple(ratios),
        method=taken[0].method,
    )


def excuse(agenda: Agenda, plan: Plan, case: Case, taken: Sequence[LaunchTiming]) -> Iterable[Ratio]:
    """Base against its fallback: none of the tests planned, since it can blame nobody, and held to one test's share."""
    base = plan.base_kernels.get(case.kernel)
    wanted = (base.min_speedup if base else None) or 1.0
    asked = Question(cases=(case,), above=BASE.name, below=FALLBACK.name, wanted=wanted)
    seen = evidence(asked, {case: taken})
    return answered({asked: seen}, agenda.tests, min(agenda.errors.values())).values()


def median_ns(launches: Sequence[LaunchTiming], arm: str) -> float | None:
    """Over launches, of each launch's median; a launch with a time that is none has no median."""
    taken = [launch.samples_ns[arm] for launch in launches if launch.samples_ns.get(arm)]
    medians = [statistics.median(samples_ns) for samples_ns in taken if all(map(is_time, samples_ns))]
    return statistics.median(medians) if medians else None


def paces(plan: Plan, found: sequence.Answers) -> dict[str, tuple[Ratio, ...]]:
    """By kernel; a kernel of one workload has none beside that case's."""
    return {
        name: tuple(r for q, r in found.ratios.items() if len(q.cases) > 1 and q.cases[0].kernel == name)
        for name in plan.kernels
    }
