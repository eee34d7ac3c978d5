"""From launches of the same code to what they vary by, what the gate would say on them, and the level that follows."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

import numpy as np

from kgate import controls, prediction, rules, stats
from kgate.margins import MARGINS
from kgate.model import BASE, HEAD, CalibratedCase, Calibration, Case, Counted, LaunchTiming, Level
from kgate.plan import looks
from kgate.prediction import Course, Foretold
from kgate.rehearsal import Rehearsal
from kgate.replay import Rate
from kgate.rules import slower_than_base
from kgate.setting import Setting
from kgate.variance import Component, components

LEAST_LAUNCHES, LEAST_STARTS = 16, 3
MOST_NOT_GREEN, MOST_PASSED = 0.005, 0.01  # of a clean case, of one at +5 %: the promises of docs/latency.md
DAY, BUILD, START = "day", "rebuild", "start"


def calibration(here: Setting, cases: Sequence[Case], rehearsal: Rehearsal) -> Calibration:
    on_gpu = here.plan.target.kind != "cpu"
    logs = {c: by_label(rehearsal.taken.get(c.name, {})) for c in cases}
    logs = {c: found for c, found in logs.items() if len(found) >= MARGINS.least_launches}
    at = looks(here.plan.target).at
    tests = 2 * (len(cases) + sum(len(here.plan.kernels[name].workloads) > 1 for name in here.plan.kernels))
    course = Course(looks=at, confirming=min(MARGINS.confirming_launches, at[0]), tests=tests)
    found = {c: one(logs[c], prediction.alone(by_start(logs[c], on_gpu), course), on_gpu) for c in logs}
    level = rules.level_of(slower_than_base.NAME, here.manifest.policy, on_gpu)
    counted = [c for c, case in found.items() if stops(level, case)]
    quiet = rehearsal.companions.taken.values() if on_gpu else ()
    green = prediction.together([by_start(logs[c], on_gpu) for c in counted], [control_logs(k) for k in quiet], course)
    labels = {label for of_case in logs.values() for label in of_case}
    return Calibration(
        path="",
        device=here.plan.target.name,
        fingerprint=here.fingerprint,
        commit=here.head.commit,
        date=datetime.now(timezone.utc).date().isoformat(),
        not_green=counted_of(green),
        launches=len(labels),
        starts=len({start_of(label) for label in labels}) if on_gpu else len(labels),
        days=len({label.split("/")[0] for label in labels}),
        cases={c.stable_name: case for c, case in found.items()},
    )


def stops(policy: Level, case: CalibratedCase) -> bool:
    """Whether an open question on this case is no green run: the policy says so, or it warns and the file raises it."""
    return policy is Level.FAIL or (policy is Level.WARN and case.level is Level.FAIL)


def by_label(taken: Mapping[str, LaunchTiming]) -> dict[str, float]:
    """Each launch's number, of those that have both arms and no time that is none."""
    found = {}
    for label, timing in sorted(taken.items()):
        above, below = (timing.samples_ns.get(arm.name, ()) for arm in (HEAD, BASE))
        if above and below and all(map(stats.is_time, (*above, *below))):
            found[label] = stats.datum(above, below)
    return found


def start_of(label: str) -> str:
    """Day, build and start: a name that holds those of the groups around it, as `components` wants it."""
    return label.rpartition("/")[0]


def by_start(logs: Mapping[str, float], on_gpu: bool) -> list[list[float]]:
    """On a CPU every launch is a start of its own."""
    groups: dict[str, list[float]] = {}
    for label, value in logs.items():
        groups.setdefault(start_of(label) if on_gpu else label, []).append(value)
    return list(groups.values())


def one(logs: Mapping[str, float], foretold: Foretold, on_gpu: bool) -> CalibratedCase:
    parts = varying(logs, on_gpu)
    starts = len(by_start(logs, on_gpu))
    level, reason = judged(len(logs), starts, foretold)
    start = next(part for part in parts if part.level == START)
    return CalibratedCase(
        level=level,
        reason=reason,
        launches=len(logs),
        starts=starts,
        days=len({label.split("/")[0] for label in logs}),
        bias=math.exp(float(stats.trimmed(np.asarray(list(logs.values()))).location)),
        spreads={p.level: None if p.variance is None else math.sqrt(p.variance) for p in parts},
        starts_differ=start.p,
        not_green=counted_of(foretold.not_green),
        blocked=counted_of(foretold.blocked),
        passed=counted_of(foretold.passed),
    )


def varying(logs: Mapping[str, float], on_gpu: bool) -> tuple[Component, ...]:
    names = {DAY: 1, BUILD: 2, START: 3}
    levels = {name: ["/".join(label.split("/")[:depth]) for label in logs] for name, depth in names.items()}
    if not on_gpu:
        levels[START] = list(logs)
    return components(list(logs.values()), levels)


def judged(launches: int, starts: int, foretold: Foretold) -> tuple[Level, str]:
    if launches < LEAST_LAUNCHES or starts < LEAST_STARTS:
        needed = f"{LEAST_LAUNCHES} of {LEAST_STARTS}"
        return Level.WARN, f"{launches} launches of {starts} starts, where {needed} are needed"
    if foretold.not_green.bound > MOST_NOT_GREEN:
        return Level.WARN, f"a clean change would not come out green in {foretold.not_green}"
    if foretold.passed.bound > MOST_PASSED:
        return Level.WARN, f"a slowdown of 5 % would pass in {foretold.passed}"
    return Level.FAIL, "clean changes come out green and a slowdown of 5 % does not pass"


def control_logs(launches: Sequence[LaunchTiming]) -> dict[str, list[float]]:
    return {
        "same": controls.logs(launches, with_dose=False),
        "dosed": controls.logs(launches, with_dose=True),
    }


def counted_of(rate: Rate) -> Counted:
    return Counted(hits=rate.hits, of=rate.of, bound=rate.bound)
