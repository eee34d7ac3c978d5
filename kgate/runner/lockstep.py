"""
Phase B: one launch. One process of every arm, alive together; one of them times while the others wait.

The arms' order of starting, the order of the cases and of the blocks, the seeds and the sample that is exported are
all drawn from the launch's number: a process cannot foresee them, a second run of the same launch repeats them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kgate.model import Arm, Event, Failure, LaunchTiming, Tensor
from kgate.protocol import CaseJob
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
    """

    timings: Mapping[str, LaunchTiming]
    failures: Mapping[Key, Failure]
    exported: Mapping[Key, tuple[int, tuple[Tensor, ...]]]
    start_s: Mapping[str, float]
    void: Mapping[str, str] = field(default_factory=dict)


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
    timings = {}
    exported = {}
    void = {}
    try:
        table.seat(list(arms))
        for case in cases:
            trial = Trial(table, case, table.ready_for(case))
            trial.run()
            if (timing := trial.timing()) is not None:
                timings[case] = timing
            if trial.void:
                void[case] = trial.void
            exported.update({(arm, case): (seed, tensors) for arm, (seed, tensors) in trial.exported.items()})
        table.break_up()
    finally:
        table.clear()
    for key, (_, tensors) in exported.items():
        if problem := changed(tensors):
            table.failures[key] = Failure(rung="latency", reason="bad-reply", text=problem)
    sound = {key: sample for key, sample in exported.items() if key not in table.failures}
    return Launch(timings=timings, failures=table.failures, exported=sound, start_s=table.start_s, void=void)
