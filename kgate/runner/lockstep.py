"""
Phase B: one launch. One process of every arm, alive together; one of them times while the others wait.

The arms' order of starting, the order of the cases and of the blocks, the seeds and the sample that is exported are
all drawn from the launch's number: a process cannot foresee them, a second run of the same launch repeats them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kgate.model import Arm, Event, Failure, LaunchTiming, Tensor
from kgate.protocol import CaseJob
from kgate.runner.alternating import Alternating
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import Start, fresh
from kgate.runner.schedule import Schedule
from kgate.runner.shelf import changed
from kgate.runner.table import Key, Table, Throttle, unread
from kgate.runner.trial import Trial

__all__ = ["Launch", "Schedule", "run_launch"]


@dataclass(frozen=True, kw_only=True)
class Launch:
    """
    `timings` by case, of the arms that got through it; `void`: why a case has none though no arm failed. `exported`:
    the seed of one timed sample and its outputs.

    `start_s` by arm: from start or fork to the connection, and the first answer on top (imports, device, first case).
    `case_s`: wall clock by case; `skipped`: cases that time had run out for. `spent_s`: what the gate waited for, by
    what it had asked for; `busy_s`: device work of the samples, with the flushes before them.
    """

    timings: Mapping[str, LaunchTiming]
    failures: Mapping[Key, Failure]
    exported: Mapping[Key, tuple[int, tuple[Tensor, ...]]]
    start_s: Mapping[str, float]
    void: Mapping[str, str] = field(default_factory=dict)
    case_s: Mapping[str, float] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    spent_s: Mapping[str, float] = field(default_factory=dict)
    busy_s: float = 0.0


def run_launch(
    workplace: Workplace,
    arms: Mapping[Arm, Sequence[CaseJob]],
    launch: int,
    schedule: Schedule,
    emit: Callable[[Event], None],
    *,
    start: Start = fresh,
    limits: Limits | None = None,
    throttle: Throttle = unread,
) -> Launch:
    """
    Every case that any arm has, on all arms that have it. An arm that fails a case is out for that case only.

    `throttle`: the gate's own look at the device's clocks, after every block.
    """
    table = Table(workplace, arms, launch, schedule, emit, start, limits or Limits(), throttle)
    cases = list(dict.fromkeys(job.case for jobs in arms.values() for job in jobs))
    table.draw.shuffle(cases)
    trials: dict[str, Trial] = {}
    case_s: dict[str, float] = {}
    try:
        table.seat(list(arms))
        for case in cases:
            began = time.monotonic()
            if began >= schedule.until_s:
                break
            kind = Alternating if case in schedule.alternating else Trial
            trials[case] = kind(table, case, table.ready_for(case))
            trials[case].run()
            case_s[case] = time.monotonic() - began
        table.break_up()
    finally:
        table.clear()
    return Launch(
        exported=sound(table, trials),
        timings={case: timing for case, trial in trials.items() if (timing := trial.timing()) is not None},
        failures=table.failures,
        start_s=table.start_s,
        void={case: trial.void for case, trial in trials.items() if trial.void},
        case_s=case_s,
        skipped=frozenset(cases) - trials.keys(),
        spent_s=table.spent_s,
        busy_s=table.busy_s,
    )


def sound(table: Table, trials: Mapping[str, Trial]) -> dict[Key, tuple[int, tuple[Tensor, ...]]]:
    """The exported samples that lie as they were taken; what was changed since is a failure of its arm."""
    exported = {(arm, case): sample for case, trial in trials.items() for arm, sample in trial.exported.items()}
    for key, (_, tensors) in exported.items():
        if problem := changed(tensors):
            table.failures[key] = Failure(rung="latency", reason="bad-reply", text=problem)
    return {key: sample for key, sample in exported.items() if key not in table.failures}
