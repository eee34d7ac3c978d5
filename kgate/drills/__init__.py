"""
The way out, drilled: the product's own dispatch under every condition that its kernel can meet.

A process runs one kernel under one condition, so that what one product has logged, cached or latched says nothing of
another. The processes are forked from two that have imported torch, one of them the DSLs as well, and run side by side.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgate.answers import Answers
from kgate.correctness import Bench
from kgate.drills.agenda import ALL, CHOICES, NONE, alone, planned
from kgate.drills.field import Field, Share, starts
from kgate.drills.hanging import was_left_out
from kgate.ladder import strayed
from kgate.model import (
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    Arm,
    Case,
    Drill,
    Event,
    Measurement,
    Route,
    Run,
    Tree,
    of_base,
    unmet,
)
from kgate.plan import DRILLS, drilled, same_signature
from kgate.setting import Emit, Setting
from kgate.suspicion import suspect
from kgate.worker import conditions

ARMS = tuple(Arm(tree=Tree.HEAD, route=Route.DISPATCH, condition=name) for name in conditions.CONDITIONS)

NONE_REMARK = "conditions of the way out were left out by --drills none: no more of it than the switch was tried"

__all__ = ["ALL", "ARMS", "CHOICES", "alone", "answers", "grounds", "planned", "told", "under_a_condition"]


def told(run: Run, drills: Sequence[Drill], which: str, *, alone: bool) -> Run:
    """A run with its drills, and what a reader must know who does not look for drills where there are none."""
    left_out = (NONE_REMARK,) if which == NONE else ()
    return replace(run, drills=tuple(drills), drills_only=alone, remarks=(*run.remarks, *left_out))


def under_a_condition(arm: Arm) -> bool:
    """Whether what failed may have failed by kgate's own doing."""
    return arm.condition in conditions.CONDITIONS


def grounds(setting: Setting, drills: Sequence[Drill], emit: Emit) -> Answers:
    """What drills are judged by, where nothing else is asked for: fallback, reference, both positions of the switch."""
    bench = Bench(setting=setting, emit=emit)
    cases = setting.plan.cases
    steps = 2 * len(cases) + 2 * len(drilled(setting.plan, cases)) + sum(len(drill.cases) for drill in own(drills))
    emit(Event(name="planned", fields={"cases": len(cases), "steps": steps}))
    if setting.plan.target.kind != "cpu":
        bench.warm({HEAD: cases})
    in_base = [c for c in cases if same_signature(setting.plan, c)]
    bench.run(FALLBACK, cases)
    bench.run(of_base(FALLBACK), in_base)
    bench.run_references(cases)
    for arm in DRILLS:
        bench.run(arm, drilled(setting.plan, cases))
    # Only where the dispatch turns the kernel down: whether that is because it gives no answer here.
    bench.run(HEAD, [c for c in cases if turned_down(bench, c)])
    bench.compare_all()
    for arm in DRILLS:
        bench.run(of_base(arm), [c for c in in_base if suspect(bench.setting.plan, bench.answers, arm, c)])
    bench.compare_all()
    return replace(bench.answers, resumed=bench.resumed)


def own(drills: Iterable[Drill]) -> list[Drill]:
    """Those with processes of their own; the switch, turned off from the start, is an arm like others."""
    return [drill for drill in drills if drill.cases and drill.condition != SWITCH_OFF.condition]


def answers(setting: Setting, before: Answers, drills: Sequence[Drill], emit: Emit) -> Answers:
    """`before`, and what the dispatch answered under each condition; base's is asked where head's is at fault."""
    chosen = own(drills)
    if not chosen or setting.unbuilt:
        return before
    told = one_at_a_time(emit)
    bench = Bench(setting=setting, emit=told)
    bench.outcomes.update(before.outcomes)
    bench.comparisons.update(before.comparisons)
    with starts(setting, told) as start_of:
        field = Field(bench=bench, start_of=start_of, lock=threading.Lock())
        field.run([Share(drill=drill, arm=drill.arm, cases=drill.cases) for drill in chosen])
        compare(bench)
        field.run(list(suspects(bench, chosen)))
        compare(bench)
    found = bench.answers
    resumed = before.resumed + bench.resumed
    return replace(before, outcomes=found.outcomes, comparisons=found.comparisons, resumed=resumed)


def turned_down(bench: Bench, case: Case) -> bool:
    outcome = bench.outcomes.get((SWITCH_ON, case))
    return isinstance(outcome, Measurement) and strayed(SWITCH_ON, outcome)


def one_at_a_time(emit: Emit) -> Emit:
    lock = threading.Lock()

    def told(event: Event) -> None:
        with lock:
            emit(event)

    return told


def compare(bench: Bench) -> None:
    """An earlier run may have compared all that it had, and its reference's files are gone with it."""
    waiting = {c for (arm, c), outcome in bench.outcomes.items() if bench.uncompared(arm, c, outcome)}
    bench.run_references([c for c in bench.setting.plan.cases if c in waiting and lost(bench, c)])
    bench.compare_all()


def lost(bench: Bench, case: Case) -> bool:
    reference = bench.outcomes.get((REFERENCE, case))
    return isinstance(reference, Measurement) and not all(t.path.is_file() for t in reference.outputs)


def suspects(bench: Bench, drills: Iterable[Drill]) -> Iterator[Share]:
    """Where head's dispatch is at fault, and base has the same kernel under the same workload."""
    plan = bench.setting.plan
    for drill in drills:
        faulty = tuple(c for c in drill.cases if same_signature(plan, c) and astray(bench, drill, c))
        if faulty:
            yield Share(drill=drill, arm=of_base(drill.arm), cases=faulty)


def astray(bench: Bench, drill: Drill, case: Case) -> bool:
    """Whether a rule may have something to say of it."""
    outcome = bench.outcomes.get((drill.arm, case))
    if not isinstance(outcome, Measurement):
        return not was_left_out(outcome)
    silent = drill.logged and not outcome.facts.get("logged")
    latched = not outcome.facts.get("reached-custom-again", 1) and not outcome.facts.get("reached-custom-other")
    stuck = drill.condition == "switch-off-later" and bool(outcome.facts.get("reached-custom"))
    missed = bool(unmet(outcome, bench.outcomes.get((SWITCH_ON, case))))
    wrong = any(not c.holds for c in bench.comparisons.get((drill.arm, case), ()))
    return silent or latched or stuck or missed or wrong
