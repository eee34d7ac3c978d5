"""
The sequence of looks: measure, look, confirm what is claimed, go on with what is open. It starts no process itself.

Whoever calls says how launches are taken, so that a run on a GPU, a test with times made up, and a replay of recorded
launches go through the same decisions.
"""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from kgate.decision import Question, answered, confirmation, evidence, moved_together
from kgate.figures import change, count
from kgate.margins import MARGINS
from kgate.model import BASE, Case, Decision, LaunchTiming, Ratio, Shift

# Launches that confirm are numbered from here: the look's number of launches times a hundred, and one by one.
CONFIRMING = 1_000_000
PER_LOOK = 100
SPENT = "--budget was spent"

Launches = Mapping[Case, Sequence[LaunchTiming]]


class Measure(Protocol):
    """Takes the launches of these numbers, which end up in the launches that `follow` reads."""

    def __call__(self, numbers: Sequence[int], cases: Sequence[Case], *, confirming: bool) -> Collection[Case] | None:
        """
        Of a `confirming` launch nothing is shared with earlier ones: processes, zygotes, the order of arms. Returns the
        cases, if any, that time was not left for: of those, launches are missing.
        """


@dataclass(frozen=True, kw_only=True)
class Agenda:
    """
    Fixed before the first launch. `errors`: launches of a look -> the share of the error rate that it spends.

    `confirming`: launches of a confirmation. `acting`: the rivals to be slower than which stops or warns somebody; for
    other answers nothing is confirmed, and no case is looked at again. `rough`: cases known to need the looks from
    `rough_from` launches on, which are theirs alone.
    """

    questions: tuple[Question, ...]
    errors: Mapping[int, float]
    confirming: int
    acting: frozenset[str]
    rough: frozenset[Case] = frozenset()
    rough_from: int = sys.maxsize

    def wanted(self, cases: Iterable[Case], look: int) -> list[Case]:
        """Those of the open cases that this look is for."""
        return [case for case in cases if look < self.rough_from or case in self.rough]

    @property
    def tests(self) -> int:
        return len(self.questions)

    @property
    def against_base(self) -> frozenset[Question]:
        """Of one case each."""
        return frozenset(q for q in self.questions if q.below == BASE.name and len(q.cases) == 1)


@dataclass(kw_only=True)
class Answers:
    """
    The newest answer to each question, and which of them stand; grows look by look and is read when all is over.
    `moving`: at this look they moved with most of the run; `moved`: at any look, and nothing bore it out. `cut`: cases
    that time was not left for.
    """

    ratios: dict[Question, Ratio] = field(default_factory=dict)
    settled: set[Question] = field(default_factory=set)
    moving: set[Question] = field(default_factory=set)
    moved: set[Question] = field(default_factory=set)
    cut: set[Case] = field(default_factory=set)
    shift: Shift | None = None

    def is_open(self, agenda: Agenda, case: Case) -> bool:
        mine = [q for q in agenda.questions if q.cases == (case,) and q.below in agenda.acting]
        return any(q in self.ratios and q not in self.settled for q in mine)


def spending(planned: Iterable[int], before: Mapping[int, float]) -> dict[int, float]:
    """
    What each planned look may spend of the error rate. `before`: what looks of earlier runs of the same content had.

    The first run shares 1 % equally among its looks. A look that was spent on keeps its share: it sees the same data
    again. Each further one, of a run that asks for more launches, gets half of what the one before it got, the first
    1/6 %; so that however often somebody runs again, all looks together spend 1 1/3 % at most.
    """
    looks = list(planned)
    if not before:
        return dict.fromkeys(looks, MARGINS.error_rate / len(looks))
    first = next(iter(before.values()))
    extra = sum(error < first for error in before.values())
    shares = dict(before)
    for look in looks:
        if look not in shares:
            extra += 1
            shares[look] = MARGINS.error_rate / 3 / 2**extra
    return {look: shares[look] for look in looks}


def follow(agenda: Agenda, cases: Iterable[Case], launches: Launches, measure: Measure) -> Answers:
    """
    Look after look until no case is open. A case whose *slower* is not borne out keeps the confirming launches and goes
    on; after the last look it is inconclusive.
    """
    answers = Answers()
    open_cases = list(cases)
    done = 0
    for look, error in sorted(agenda.errors.items()):
        open_cases = agenda.wanted(open_cases, look)
        if not open_cases:
            break
        cut = set(measure(range(done, look), open_cases, confirming=False) or ())
        done = look
        take(agenda, answers, seen_at(launches, look), error)
        leave_cut(answers, cut, look)
        claims = [q for q in claimed(answers) if q.below in agenda.acting]
        if claims:
            numbers = confirming_numbers(look, agenda.confirming)
            cut = set(measure(numbers, cases_of(claims), confirming=True) or ())
            leave_unconfirmed(answers, cut, claims)
            confirm(answers, [q for q in claims if not cut & set(q.cases)], only(launches, numbers))
        hold_back(answers)
        answers.settled |= {q for q, r in answers.ratios.items() if r.decision is not Decision.INCONCLUSIVE}
        open_cases = [case for case in open_cases if answers.is_open(agenda, case)]
    for question in answers.moved - answers.settled:
        answers.ratios[question] = replace(answers.ratios[question], shared=True)
    return answers


def take(agenda: Agenda, answers: Answers, seen: Launches, error: float) -> None:
    """One look at all questions that are not settled. A time that is none settles its question: it stays open."""
    asked = {q: evidence(q, seen) for q in agenda.questions if q not in answers.settled}
    before = [0.0 for q in answers.settled if answers.ratios[q].decision is Decision.SLOWER]
    fresh = answered(asked, agenda.tests, error, before)
    answers.settled |= {q for q in fresh if asked[q].problem}
    moved, median = moved_together(
        {q: r for q, r in fresh.items() if q in agenda.against_base}, len(agenda.against_base)
    )
    answers.ratios.update(fresh)
    answers.moving = set(moved)
    if moved:
        answers.shift = Shift(cases=len(moved), of=len(agenda.against_base), median=median, confirmed=False)


def leave_cut(answers: Answers, cut: Collection[Case], look: int) -> None:
    """What was not launched as often as this look asks for is left as it is: shown, and neither blamed nor cleared."""
    answers.cut |= set(cut)
    for question, ratio in list(answers.ratios.items()):
        if question not in answers.settled and not set(cut).isdisjoint(question.cases):
            leave(answers, question, f"{SPENT} after {ratio.launches} of {count(look, 'launch', 'launches')}")


def leave_unconfirmed(answers: Answers, cut: Collection[Case], claims: Iterable[Question]) -> None:
    answers.cut |= set(cut)
    for question in claims:
        if not set(cut).isdisjoint(question.cases):
            leave(answers, question, f"{change(answers.ratios[question].median)} could not be confirmed: {SPENT}")


def leave(answers: Answers, question: Question, reason: str) -> None:
    answers.ratios[question] = replace(answers.ratios[question], decision=Decision.INCONCLUSIVE, reason=reason)
    answers.settled.add(question)
    answers.moving.discard(question)


def claimed(answers: Answers) -> list[Question]:
    """
    What has to be borne out before it is said. A kernel whose cases are claimed by themselves is not claimed besides,
    and left open.
    """
    claims = [
        q
        for q, ratio in answers.ratios.items()
        if q not in answers.settled and (ratio.decision is Decision.SLOWER or q in answers.moving)
    ]
    alone = {(q.cases[0].kernel, q.below) for q in claims if len(q.cases) == 1}
    told = [q for q in claims if len(q.cases) > 1 and (q.cases[0].kernel, q.below) in alone]
    for question in told:
        by_case = replace(
            answers.ratios[question], decision=Decision.INCONCLUSIVE, reason="its workloads are asked alone"
        )
        answers.ratios[question] = by_case
    return [q for q in claims if q not in told]


def confirm(answers: Answers, claims: Sequence[Question], fresh: Launches) -> None:
    """What fresh launches say of each claim. A shift is borne out where most of its cases are."""
    held = set()
    for question in claims:
        ratio = answers.ratios[question]
        faster = question in answers.moving and ratio.median < 1
        found = confirmation(question, evidence(question, fresh), faster=faster)
        answers.ratios[question] = replace(ratio, confirmation=found)
        if found.holds:
            held.add(question)
        else:
            said = f"{change(found.median)} in {count(found.launches, 'launch', 'launches')} of fresh processes"
            reason = f"{change(ratio.median)} was not confirmed: {said}"
            answers.ratios[question] = replace(answers.ratios[question], decision=Decision.INCONCLUSIVE, reason=reason)
    if answers.shift is not None and answers.moving:
        answers.shift = replace(answers.shift, confirmed=2 * len(held & answers.moving) > len(answers.moving))
    answers.moving -= held


def hold_back(answers: Answers) -> None:
    """Nobody is blamed, and nobody cleared, for what moved with most of the run and was not borne out."""
    for question in answers.moving:
        ratio = answers.ratios[question]
        reason = ratio.reason or "it moved with more than half of the cases"
        answers.ratios[question] = replace(ratio, decision=Decision.INCONCLUSIVE, reason=reason)
    answers.moved |= answers.moving


def confirming_numbers(look: int, launches: int) -> range:
    first = CONFIRMING + PER_LOOK * look
    return range(first, first + launches)


def seen_at(launches: Launches, look: int) -> Launches:
    """What a look knows: the launches up to it, and all that confirmed or did not at looks before it."""
    until = CONFIRMING + PER_LOOK * look
    return {c: [t for t in ts if t.launch < look or CONFIRMING <= t.launch < until] for c, ts in launches.items()}


def only(launches: Launches, numbers: range) -> Launches:
    return {c: [t for t in ts if t.launch in numbers] for c, ts in launches.items()}


def cases_of(questions: Iterable[Question]) -> list[Case]:
    return list(dict.fromkeys(case for q in questions for case in q.cases))
