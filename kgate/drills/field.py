"""Where drills are run: a process for each kernel under each condition, side by side."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from kgate.correctness import Bench
from kgate.drills.agenda import packages, spare
from kgate.drills.hanging import left_out
from kgate.model import HEAD, SWITCH_ON, Arm, Case, Drill, Event, Kernel, Outcome, Tree
from kgate.plan import Plan, job
from kgate.protocol import CaseJob
from kgate.runner import parallel, records
from kgate.runner.environment import cache_variables
from kgate.runner.errand import Errand
from kgate.runner.outputs import run_outputs
from kgate.runner.place import Workplace
from kgate.runner.process import Start
from kgate.runner.zygote import FORKABLE, Zygotes, by_tree
from kgate.setting import Emit, Setting
from kgate.worker import conditions
from kgate.worker.conditions import Condition

MOST_PROCESSES = 16  # each has a device context of some 500 MB
StartOf = Callable[[Condition], Start]


@contextmanager
def starts(setting: Setting, emit: Emit) -> Iterator[StartOf]:
    """How a process for a condition is started: from a parent that has not imported any DSL, where that matters."""
    dsls = sorted({FORKABLE[k.dsl] for k in setting.plan.kernels.values() if k.dsl in FORKABLE} - {"torch"})
    with (
        Zygotes(["torch"], emit, shared_by=by_tree) as bare,
        Zygotes(["torch", *dsls], emit, shared_by=by_tree) as full,
    ):
        bare.warm(setting.workplace, [HEAD])
        if dsls:
            full.warm(setting.workplace, [HEAD])
        yield lambda condition: bare.start if condition.BARE or not dsls else full.start


@dataclass(frozen=True, kw_only=True)
class Share:
    """The work of one process."""

    drill: Drill
    arm: Arm
    cases: tuple[Case, ...]


@dataclass(frozen=True, kw_only=True)
class Field:
    """Where shares are run; what comes back goes to the bench, one at a time."""

    bench: Bench
    start_of: StartOf
    lock: threading.Lock

    def run(self, shares: Sequence[Share]) -> None:
        cores = len(os.sched_getaffinity(0))
        fresh = [share for share in map(self.without_known, shares) if share.cases]
        # What compiles takes longest, and is begun first.
        fresh.sort(key=lambda share: not conditions.of_name(share.drill.condition).OWN_CACHES)
        parallel.run(fresh, min(MOST_PROCESSES, cores), self.run_one)

    def without_known(self, share: Share) -> Share:
        return replace(share, cases=tuple(c for c in share.cases if not self.bench.recall(share.arm, c)))

    def run_one(self, share: Share) -> None:
        share = self.without_hanging(share)
        if not share.cases:
            return
        setting, condition = self.bench.setting, conditions.of_name(share.drill.condition)
        kernel = kernel_of(setting.plan, share.arm, share.drill.kernel)
        # A run without a GPU is a run on the CPU, also where the other arms are not.
        place = replace(setting.workplace, device="cpu") if condition.NAME == "no-gpu" else setting.workplace
        run_outputs(
            place,
            share.arm,
            [with_spare(setting.plan, share.arm, case, condition) for case in share.cases],
            {**switched(kernel, condition), **condition.ENV, **caches(place, share.arm, condition)},
            self.bench.emit,
            self.done(share),
            start=self.start_of(condition),
            errand=Errand(mode="drill", condition=condition.NAME),
        )

    def without_hanging(self, share: Share) -> Share:
        """What is known to hang is not waited for again; asked in its turn, when others may have."""
        kernel = kernel_of(self.bench.setting.plan, share.arm, share.drill.kernel)
        with self.lock:
            found = {c: left_out(self.bench.outcomes, kernel, share.arm, c) for c in share.cases}
        for case, failure in found.items():
            if failure is not None:
                self.done(share)(case.name, failure)
                said = {"case": case.name, "arm": share.arm.name}
                self.bench.emit(Event(name="note", fields={**said, "text": f"{case.name}: {failure.text}"}))
                self.bench.emit(Event(name="case-ended", fields={**said, "ok": False}))
        return replace(share, cases=tuple(case for case, failure in found.items() if failure is None))

    def done(self, share: Share) -> Callable[[str, Outcome], None]:
        def file(name: str, outcome: Outcome) -> None:
            with self.lock:
                bench = self.bench
                bench.outcomes[share.arm, bench.setting.plan.case_named(name)] = outcome
                bench.setting.ledger.record("outcome", f"{share.arm.name}|{name}", records.outcome_to_json(outcome))

        return file


def kernel_of(plan: Plan, arm: Arm, name: str) -> Kernel:
    return (plan.base_kernels if arm.tree is Tree.BASE else plan.kernels)[name]


def with_spare(plan: Plan, arm: Arm, case: Case, condition: Condition) -> CaseJob:
    made, other = drill_job(plan, arm, case, condition), spare(plan, case)
    if condition.NAME != "call-refused" or other is None:
        return made
    return replace(made, spare=drill_job(plan, arm, other, condition))


def drill_job(plan: Plan, arm: Arm, case: Case, condition: Condition) -> CaseJob:
    kernel = kernel_of(plan, arm, case.kernel)
    switch = kernel.switch
    return replace(
        job(plan, arm, case),
        dsl=kernel.dsl,
        packages=packages(kernel),
        off=(switch.env, switch.fallback) if switch is not None and switch.env else None,
        context=(switch.context, position(kernel, condition)) if switch is not None and switch.context else None,
    )


def position(kernel: Kernel, condition: Condition) -> str:
    """Where the switch stands, as the value the product reads."""
    if kernel.switch is None:
        return ""
    return kernel.switch.fallback if condition.SWITCH == "fallback" else kernel.switch.custom


def switched(kernel: Kernel, condition: Condition) -> Mapping[str, str]:
    if kernel.switch is None or not kernel.switch.env:
        return {}
    return {kernel.switch.env: position(kernel, condition)}


def caches(place: Workplace, arm: Arm, condition: Condition) -> Mapping[str, str]:
    """What the custom path has compiled in this run need not be compiled once more, but where compiling is drilled."""
    return {} if condition.OWN_CACHES else cache_variables(place, replace(SWITCH_ON, tree=arm.tree))
