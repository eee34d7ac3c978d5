"""
The first half of a run: every arm answers every case, each alone, and the gate compares what came back.

Nothing here decides. An arm that fails is an outcome; a comparison that does not hold is a value; rules read both.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kgate import holding, ladder
from kgate.answers import Answers, question
from kgate.comparisons import Question, same_bytes
from kgate.dump import ARMS as DUMPED
from kgate.dump import still_there
from kgate.holding import Asked
from kgate.model import (
    AFRESH,
    BASE,
    FALLBACK,
    FENCED,
    HEAD,
    REFERENCE,
    SWITCH_ON,
    Arm,
    Case,
    Comparison,
    Event,
    Failure,
    Measurement,
    Outcome,
    Route,
    Tree,
    of_base,
)
from kgate.plan import DRILLS, ORDER, closely, drilled, jobs, looks, same_signature
from kgate.protocol import CaseJob
from kgate.rules import DIFFERS
from kgate.runner import records
from kgate.runner.errand import Errand
from kgate.runner.outputs import run_outputs
from kgate.runner.warmup import Warmed, fill_caches, with_compile_time
from kgate.setting import Emit, Setting, passing
from kgate.suspicion import doubtful, suspect
from kgate.switching import compatible, switches


def answers(setting: Setting, emit: Emit, *, dumps: bool = False) -> Answers:
    """
    Base, head, fallback, reference, drills, never two at once; then base's own where head's failed. `dumps`: the files
    of what head and base compile are wanted.
    """
    bench = Bench(setting=setting, emit=emit, dumps=dumps)
    cases = setting.plan.cases
    emit(Event(name="planned", fields={"cases": len(cases), "steps": steps(setting)}))
    # A base that takes other arguments would fail on head's, and its failure would excuse head's own.
    comparable = [c for c in cases if same_signature(setting.plan, c)]
    if setting.plan.target.kind != "cpu":
        bench.warm({HEAD: cases, BASE: comparable})
    asked = tuple(setting.plan.variants)
    for arm in ORDER:
        bench.run(arm, comparable if arm.tree is Tree.BASE else cases, asked if arm == FALLBACK else ())
    bench.run_afresh(HEAD, cases)
    bench.run_references((*cases, *asked))
    for arm in DRILLS:
        bench.run(arm, drilled(setting.plan, cases), asked if arm == SWITCH_ON else ())
    bench.compare_all()
    for arm in DRILLS:
        doubted = doubtful(setting.plan, bench.answers, asked) if arm == SWITCH_ON else []
        bench.run(of_base(arm), [c for c in comparable if suspect(setting.plan, bench.answers, arm, c)], doubted)
    bench.run_afresh(BASE, [c for c in comparable if bench.differed(HEAD, c)])
    bench.compare_all()
    for case in cases:
        kernel = setting.plan.kernels[case.kernel]
        for event in ladder.rungs(bench.outcomes, bench.comparisons, case, kernel, setting.workplace.manifest):
            emit(event)
    return replace(bench.answers, resumed=bench.resumed, compile_s=bench.compile_s)


def steps(setting: Setting) -> int:
    """How many case-ended and launch-ended events a run without incident has, for a progress bar."""
    plan = setting.plan
    old = sum(same_signature(plan, c) for c in plan.cases)
    twice = sum(plan.kernels[c.kernel].deterministic for c in plan.cases)
    return 2 * old + 3 * len(plan.cases) + twice + 2 * len(drilled(plan, plan.cases)) + looks(plan.target).at[0]


class Bench:
    """What has been answered so far. The one mutable value of this stage; it never leaves it."""

    def __init__(self, *, setting: Setting, emit: Emit, dumps: bool = False) -> None:
        self.setting = setting
        self.emit = emit
        self.dumps = dumps
        self.outcomes: dict[tuple[Arm, Case], Outcome] = {}
        self.comparisons: dict[tuple[Arm, Case], tuple[Comparison, ...]] = {}
        self.resumed = 0
        self.warmed: Warmed = {}
        self.compile_s = 0.0

    def warm(self, arms: Mapping[Arm, Sequence[Case]]) -> None:
        """Compile side by side what no earlier run has answered; the arms then find it in their caches."""
        if self.setting.unbuilt:
            return
        ledger = self.setting.ledger
        fresh = {
            arm: jobs(self.setting.plan, arm, [c for c in cases if not ledger.recall("outcome", name_of(arm, c))])
            for arm, cases in arms.items()
        }
        began = time.monotonic()
        self.warmed = fill_caches(self.setting.workplace, fresh, self.setting.start)
        self.compile_s = time.monotonic() - began
        if self.warmed:
            text = f"{len(self.warmed)} first calls made side by side in {self.compile_s:.1f} s"
            self.emit(Event(name="note", fields={"arm": "", "text": text}))

    def run(self, arm: Arm, cases: Sequence[Case], behind: Sequence[Case] = ()) -> None:
        """One arm on its cases, but for those that the ledger knows; variants `behind` all others."""
        cases = (*cases, *behind)
        if self.setting.unbuilt and arm.tree is Tree.HEAD:
            broken = Failure(rung="compile", reason="compile-failed", text=self.setting.unbuilt)
            for case in cases:
                self.outcomes[arm, case] = broken
                self.setting.ledger.record("outcome", name_of(arm, case), records.outcome_to_json(broken))
            return
        pending = [c for c in cases if not self.recall(arm, c)]
        if not pending:
            return
        plan = self.setting.plan
        kernels = plan.base_kernels if arm.tree is Tree.BASE else plan.kernels
        for group in compatible({c.kernel: kernels[c.kernel] for c in pending}.values(), arm):
            names = {kernel.name for kernel in group}
            work = closely(arm, jobs(plan, arm, [c for c in pending if c.kernel in names]))
            self.launch(arm, arm, work, switches(group, arm))
        self.without_fence(arm, pending)

    def run_afresh(self, first: Arm, cases: Iterable[Case]) -> None:
        """
        What is declared deterministic, once more in another process: a tuner may take another of two equal
        configurations there, and an address, a hash or a time may decide.
        """
        again = replace(first, condition=AFRESH.condition)
        kernels = self.setting.plan.kernels
        mine = [c for c in cases if kernels[c.kernel].deterministic and self.measured(first, c)]
        self.run(again, mine)
        for case in mine:
            one, other = self.measured(first, case), self.measured(again, case)
            if one and other and DIFFERS not in other.facts and all(t.path.is_file() for t in one.outputs):
                facts = {**other.facts, DIFFERS: not same_answer(one, other)}
                self.outcomes[again, case] = replace(other, facts=facts)
                self.setting.ledger.record(
                    "outcome", name_of(again, case), records.outcome_to_json(self.outcomes[again, case])
                )

    def measured(self, arm: Arm, case: Case) -> Measurement | None:
        outcome = self.outcomes.get((arm, case))
        return outcome if isinstance(outcome, Measurement) else None

    def differed(self, first: Arm, case: Case) -> bool:
        again = self.measured(replace(first, condition=AFRESH.condition), case)
        return again is not None and bool(again.facts.get(DIFFERS))

    def without_fence(self, arm: Arm, cases: Iterable[Case]) -> None:
        """
        Where an access took the process down, the case again on memory with no fence: whoever answers then, reads or
        writes beyond its inputs. The first try is filed under the condition "fenced".
        """
        failed = {c: o for c in cases if isinstance(o := self.outcomes.get((arm, c)), Failure)}
        lost = [c for c, failure in failed.items() if arm.route is Route.CUSTOM and failure.reason == "died"]
        if not lost:
            return
        first = replace(arm, condition=FENCED.condition)
        for case in lost:
            self.outcomes[first, case] = failed[case]
            self.setting.ledger.record("outcome", name_of(first, case), records.outcome_to_json(failed[case]))
        work = [replace(one, fenced=False) for one in closely(arm, jobs(self.setting.plan, arm, lost))]
        self.launch(arm, arm, work, {})

    def run_references(self, cases: Iterable[Case]) -> None:
        """Base's reference where base has the kernel with this signature, head's where the kernel is new."""
        plan = self.setting.plan
        pending = [c for c in cases if not self.recall(REFERENCE, c)]
        old = [c for c in pending if same_signature(plan, c)]
        for arm, chosen in ((of_base(REFERENCE), old), (REFERENCE, [c for c in pending if c not in old])):
            if chosen:
                self.launch(arm, REFERENCE, jobs(plan, arm, chosen), {})

    def launch(self, arm: Arm, filed: Arm, work: Sequence[CaseJob], env: Mapping[str, str]) -> None:
        """Run `work` as `arm` and file what comes back under `filed`, in the ledger as soon as it is known."""

        def done(name: str, outcome: Outcome) -> None:
            outcome = with_compile_time(outcome, self.warmed.get((arm, name)))
            self.outcomes.update(by_arm(filed, self.setting.plan.case_named(name), outcome))
            self.setting.ledger.record("outcome", f"{filed.name}|{name}", records.outcome_to_json(outcome))

        errand = Errand(artifacts=self.dumps and arm in DUMPED)
        run_outputs(self.setting.workplace, arm, work, env, self.emit, done, start=self.setting.start, errand=errand)

    def recall(self, arm: Arm, case: Case) -> bool:
        """Take an outcome from the ledger, if it is of use without running the arm again."""
        outcome = known(self.setting, arm, case)
        if outcome is None:
            return False
        match outcome:
            case Failure():
                usable = case in self.setting.plan.variants or not passing(outcome)
            case Measurement():
                usable = not self.awaited(arm, case) or all(t.path.is_file() for t in outcome.all_outputs)
                # An earlier run's files are gone with it: what is to be dumped is compiled and run once more.
                if self.dumps and arm in DUMPED:
                    usable = usable and all(still_there(kernel.files.values()) for kernel in outcome.compiled)
        if usable:
            self.outcomes.update(by_arm(arm, case, outcome))
            first = replace(arm, condition=FENCED.condition)
            if (lost := known(self.setting, first, case)) is not None:
                self.outcomes[first, case] = lost
            self.resumed += 1
        return usable

    @property
    def answers(self) -> Answers:
        return Answers(outcomes=self.outcomes, comparisons=self.comparisons)

    def awaited(self, arm: Arm, case: Case) -> bool:
        """Whether an earlier run's outputs of this arm are still to be compared; a reference's, with any arm's."""
        ledger = self.setting.ledger
        for a in (*ORDER, *DRILLS) if arm == REFERENCE else (arm,):
            answer = (ledger.recall("outcome", name_of(a, case)) or {}).get("Measurement", {})
            named = [replace(a, condition=moment) for moment in answer.get("later", ())] + [a] * bool(answer)
            if any(ledger.recall("comparison", name_of(one, case)) is None for one in named):
                return True
        return arm == REFERENCE and any(self.uncompared(*key, o) for key, o in self.outcomes.items() if key[1] == case)

    def uncompared(self, arm: Arm, case: Case, outcome: Outcome) -> bool:
        known = (arm, case) in self.comparisons or self.setting.ledger.recall("comparison", name_of(arm, case))
        return isinstance(outcome, Measurement) and arm.route is not Route.REFERENCE and not known

    def compare_all(self) -> None:
        """Compare what has not been compared, fallbacks first: custom's tolerance comes from the fallback's error."""
        waiting = [key for key in self.outcomes if key not in self.comparisons and key[0].route is not Route.REFERENCE]
        for wave in (
            [key for key in waiting if key[0].route is Route.FALLBACK],
            [key for key in waiting if key[0].route is not Route.FALLBACK],
        ):
            self.compare_wave([key for key in wave if not self.recall_comparison(*key)])

    def recall_comparison(self, arm: Arm, case: Case) -> bool:
        found = self.setting.ledger.read("comparison", name_of(arm, case), records.comparisons_from_json)
        if found is not None:
            self.comparisons[arm, case] = found
        return found is not None

    def compare_wave(self, keys: Sequence[tuple[Arm, Case]]) -> None:
        asked = {key: question for key in keys if (question := self.question(*key)) is not None}
        named = [Asked(name=name_of(a, c), arm=a, case=c, question=q) for (a, c), q in asked.items()]
        for (arm, case), found in zip(asked, holding.answers(self.setting, named), strict=True):
            self.comparisons[arm, case] = found
            self.setting.ledger.record("comparison", name_of(arm, case), records.comparisons_to_json(found))

    def question(self, arm: Arm, case: Case) -> Question | None:
        """None where there is nothing to compare: the arm or the reference did not answer."""
        answer, reference = self.outcomes.get((arm, case)), self.outcomes.get((REFERENCE, case))
        if not isinstance(answer, Measurement) or not isinstance(reference, Measurement):
            return None
        return question(self.setting, self.answers, arm, case, answer.outputs, reference)


def same_answer(one: Measurement, other: Measurement) -> bool:
    forms = [[(t.dtype, t.shape) for t in each.outputs] for each in (one, other)]
    return forms[0] == forms[1] and same_bytes(one.outputs, other.outputs)


def name_of(arm: Arm, case: Case) -> str:
    return f"{arm.name}|{case.name}"


def known(setting: Setting, arm: Arm, case: Case) -> Outcome | None:
    return setting.ledger.read("outcome", name_of(arm, case), records.outcome_from_json)


def by_arm(arm: Arm, case: Case, outcome: Outcome) -> dict[tuple[Arm, Case], Outcome]:
    """With what it answered at other moments, which is filed as an arm of its own each."""
    later = outcome.later.items() if isinstance(outcome, Measurement) else ()
    moments = {(replace(arm, condition=moment), case): Measurement(outputs=outputs) for moment, outputs in later}
    return {(arm, case): outcome, **moments}
