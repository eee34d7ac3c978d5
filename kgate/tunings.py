"""
Which configuration of an autotuned kernel is timed in which launch.

With the same choice in head and in base both arms take base's pick: two tunings of one kernel may end in configurations
that differ by some per cent, and that would be read as a change of the code. With another choice there is nothing to
share, and each arm is tuned three times; its launches take the picks in turn, and the report says how far they differ.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgate import picks, stats
from kgate.answers import Answers
from kgate.figures import count
from kgate.model import BASE, HEAD, Arm, Case, LaunchTiming, Measurement
from kgate.plan import job
from kgate.protocol import CaseJob
from kgate.runner.errand import Errand
from kgate.runner.ledger import Ledger
from kgate.runner.outputs import run_outputs
from kgate.setting import Emit, Setting

TUNINGS = 3  # the first is that of the arm's answer
ARMS = (HEAD, BASE)
WARM = Errand(mode="warm")
Work = Mapping[Arm, Sequence[CaseJob]]


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """
    `taken`: by arm what its autotuners picked in each tuning, for all cases together, since a key may be tuned by one
    and met by another. `same`: how many tuners share a pick; `changed`: cases with a choice of their own.
    """

    taken: Mapping[Arm, tuple[Mapping[str, str], ...]]
    same: int = 0
    changed: tuple[Case, ...] = ()

    def picks(self, arm: Arm, launch: int) -> dict[str, str]:
        found = self.taken.get(arm, ())
        return dict(found[launch % len(found)]) if found else {}


def complete(setting: Setting, answers: Answers, emit: Emit) -> Tuned:
    """Tune again what has to be, into the ledger, before the first launch."""
    ledger = chapter(setting)
    for case in known(setting, answers).changed:
        for arm in (arm for arm in ARMS if facts(answers, arm, case).get("spaces")):
            for turn in range(1, TUNINGS):
                name = name_of(arm, turn, case)
                if ledger.recall("tuning", name) is None:
                    ledger.record("tuning", name, tuned_anew(setting, arm, case, turn, emit))
    return known(setting, answers)


def known(setting: Setting, answers: Answers) -> Tuned:
    """As far as answers and ledger tell."""
    cases = setting.plan.cases
    told = {arm: [facts(answers, arm, case) for case in cases] for arm in ARMS}
    same = picks.shared(told[HEAD], told[BASE])
    changed = tuple(c for c in cases if any(picks.changed(facts(answers, arm, c), same) for arm in ARMS))
    taken = {
        arm: tuple({**first, **again(setting, arm, turn, changed), **same} for turn in range(TUNINGS if changed else 1))
        for arm in ARMS
        if (first := picks.together(told[arm], "tuned"))
    }
    return Tuned(taken=taken, same=len(same), changed=changed)


def again(setting: Setting, arm: Arm, turn: int, cases: Sequence[Case]) -> dict[str, str]:
    """What a further tuning of these cases has picked."""
    found: dict[str, str] = {}
    for case in cases:
        found.update(chapter(setting).recall("tuning", name_of(arm, turn, case)) or {})
    return found


def facts(answers: Answers, arm: Arm, case: Case) -> Mapping[str, Any]:
    outcome = answers.outcomes.get((arm, case))
    return outcome.facts if isinstance(outcome, Measurement) else {}


def tuned_anew(setting: Setting, arm: Arm, case: Case, turn: int, emit: Emit) -> dict[str, str]:
    """With compile caches of its own, in which no earlier pick lies; nothing where the call fails now."""
    place = replace(setting.workplace, folder=setting.workplace.folder / f"tuning-{turn}")
    (outcome,) = run_outputs(
        place, arm, (job(setting.plan, arm, case),), {}, emit, start=setting.start, errand=WARM
    ).values()
    return dict(outcome.facts.get("tuned", {})) if isinstance(outcome, Measurement) else {}


def chapter(setting: Setting) -> Ledger:
    """A second measurement takes the picks of the first."""
    return setting.ledger.within("")


def name_of(arm: Arm, turn: int, case: Case) -> str:
    return f"{arm.name}|{turn}|{case.name}"


def handed_out(tuned: Tuned, work: Work, launch: int) -> Work:
    """The same work, with the picks that its arms are to take in this launch."""
    return {
        arm: tuple(replace(job, picks=found) for job in jobs) if (found := tuned.picks(arm, launch)) else tuple(jobs)
        for arm, jobs in work.items()
    }


def remarks(tuned: Tuned, launches: Mapping[Case, Sequence[LaunchTiming]]) -> tuple[str, ...]:
    """What a reader has to know of tuned kernels: who shares a pick, and how far the picks of others differ."""
    told = [f"of {count(tuned.same, 'autotuner')} head and base took the same pick, base's"] if tuned.same else []
    return (*told, *(spread(case, tuned, launches.get(case, ())) for case in tuned.changed))


def spread(case: Case, tuned: Tuned, launches: Sequence[LaunchTiming]) -> str:
    said = f"{case.stable_name}: the choice of its autotuner is not base's, so each arm was tuned {TUNINGS} times"
    means = [
        float(stats.trimmed(np.asarray(logs)).location)
        for turn in range(TUNINGS)
        if (logs := against_base([t for t in launches if t.launch % TUNINGS == turn]))
    ]
    if len(means) < TUNINGS:
        return said
    return f"{said}; launches of its picks differ by {100 * math.expm1(max(means) - min(means)):.1f} %"


def against_base(launches: Sequence[LaunchTiming]) -> list[float]:
    """Or, where base was not timed, head's time alone."""
    found = []
    for launch in launches:
        head, base = (launch.samples_ns.get(arm.name, ()) for arm in (HEAD, BASE))
        if head and all(map(stats.is_time, (*head, *base))):
            found.append(stats.datum(head, base) if base else math.log(float(np.median(head))))
    return found
