"""
`kgate report`: the same samples judged again, and told in any format. Nothing is run, and nothing is measured.

    folders -> ledgers -> one ledger -> setting, answers, times, as the run had them -> findings -> verdict
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kgate import drills, latency, premises, rules
from kgate.allowance import NO_END, Allowance, left_over
from kgate.answers import Answers
from kgate.correctness import by_arm, name_of
from kgate.correctness import known as recalled
from kgate.errors import HostError, UsageError
from kgate.latency import Times
from kgate.load import manifest as manifests
from kgate.model import AFRESH, FENCED, REFERENCE, Arm, Case, Event, Instrument, Outcome, Ownership, Report, of_base
from kgate.pipeline import latency_levels, narrowed, observed, reported
from kgate.plan import DRILLS, ORDER
from kgate.pooled import known, ordinary, pooled
from kgate.premises import Attempt
from kgate.runner import records
from kgate.runner.ledger import Ledger, in_use
from kgate.runner.state import LEDGER, LOCK, SPENT, STATE, untrimmed
from kgate.setting import Setting
from kgate.stopwatch import Stopwatch

NOT_YET = "the run is still running, and its answers are not all in; ask again when it has ended"
TOO_EARLY = "the run was interrupted before all answers were in; `kgate check` goes on with it"
STILL_RUNNING = "the run is still running: this is what it has measured until now"


def again(folders: Sequence[Path], path: Path) -> Report:
    """
    Of the attempts whose results lie in `folders`; without any, of the last run of the manifest at `path`.

    Raises UsageError where there is no run or the folders are of several, HostError where it was ended too early, or is
    still running.
    """
    files = [ledger_in(folder) for folder in folders] or [last(path)]
    whole, running = pooled([Ledger.recalled(file) for file in files]), any(map(in_use, files))
    made = premises.attempts(whole)
    here = narrowed(premises.setting_of(*known(whole), whole), made[-1])
    owned, owned_before = (premises.ownership(whole, tree) for tree in ("head", "base"))
    if owned is None or owned_before is None:
        raise HostError(f"{whole.path}: {NOT_YET if running else TOO_EARLY}")
    at = planned(whole) if len(folders) > 1 else ()
    found = judged(here, recorded(here), made, (owned, owned_before), at)
    return replace(found, run=replace(found.run, remarks=(*found.run.remarks, STILL_RUNNING))) if running else found


def judged(
    here: Setting,
    answers: Answers,
    made: Sequence[Attempt],
    owned: tuple[Mapping[str, Ownership], Mapping[str, Ownership]],
    at: tuple[int, ...] = (),
) -> Report:
    """`made`: all attempts, the newest of which says what was wanted; `owned` at head and base; `at` as in decided."""
    levels = latency_levels(here)
    allowance = Allowance(budget_s=60 * made[-1].budget_min) if made[-1].budget_min else NO_END

    def decided(setting: Setting) -> Times:
        watch = Recalled(setting=setting, answers=answers, emit=silent, allowance=allowance)
        return latency.decided(watch, levels, 0 if at else made[-1].launches, at)

    times = latency.Times() if made[-1].drills_only else latency.twice(here, decided, prepare=undisturbed)
    run = observed(here, answers, times, *owned)
    planned_drills = drills.planned(here.plan, made[-1].drills)
    run = drills.told(run, planned_drills, made[-1].drills, alone=made[-1].drills_only)
    left = left_over(allowance, times.over_budget, len(here.plan.cases))
    run = replace(run, remarks=(*run.remarks, *times.remarks, *filter(None, (left,))))
    return reported(here, run, rules.judge(run, here.manifest.policy), together(made), attempts=len(made))


def ledger_in(folder: Path) -> Path:
    """The ledger that `kgate check --results` has left in a folder, or the file itself."""
    file = folder / LEDGER if folder.is_dir() else folder
    if not file.is_file():
        raise UsageError(f"{file}: is not there; name a folder that `kgate check --results` has written")
    return file


def as_it_is(ledger: Path) -> Path:
    """What its run knows; a run that goes on has taken up what it does not measure anew, and no more."""
    return ledger if in_use(ledger) else untrimmed(ledger)


def last(path: Path) -> Path:
    """The ledger that was written to last, of those of this manifest. Raises UsageError where there is none."""
    file = manifests.located(path)
    root = manifests.root_of(file.parent)
    wanted = file.relative_to(root).as_posix()
    written = [path for path in (root / STATE).glob("*.jsonl") if not path.name.endswith(SPENT)]
    for ledger in map(as_it_is, sorted(written, key=lambda path: -path.stat().st_mtime_ns)):
        found = premises.read(Ledger.recalled(ledger))
        if found is not None and found[0].manifest == wanted:
            return ledger
    if in_use(root / STATE / LOCK):
        raise HostError(f"{file}: its first run has just begun, and there is nothing to report yet; ask again later")
    raise UsageError(f"{file}: no run of it is known here; run `kgate check` first, or name a folder of results")


def recorded(here: Setting) -> Answers:
    """All that the ledger knows, in the words of the run that wrote it."""
    outcomes: dict[tuple[Arm, Case], Outcome] = {}
    drilled = (*DRILLS, *drills.ARMS)
    besides = (FENCED, AFRESH, *drilled)
    for arm in (*ORDER, REFERENCE, *besides, *map(of_base, besides)):
        for case in (*here.plan.cases, *here.plan.variants):
            if (outcome := recalled(here, arm, case)) is not None:
                outcomes.update(by_arm(arm, case, outcome))
    read = {key: here.ledger.read("comparison", name_of(*key), records.comparisons_from_json) for key in outcomes}
    return Answers(outcomes=outcomes, comparisons={key: found for key, found in read.items() if found is not None})


def planned(whole: Ledger) -> tuple[int, ...]:
    """
    The looks of attempts that were made apart, and one more at all their launches: one that no attempt has planned
    spends what the schedule gives a further one.
    """
    looks = {int(look) for look in whole.all("look")}
    return tuple(sorted({*looks, max(ordinary(whole), *looks, 1)}))


def together(made: Sequence[Attempt]) -> Attempt:
    """The newest, at the cost of all."""
    stages = dict.fromkeys(name for attempt in made for name in attempt.cost_s)
    return replace(
        made[-1],
        wall_s=math.fsum(attempt.wall_s for attempt in made),
        cost_s={name: math.fsum(attempt.cost_s.get(name, 0.0) for attempt in made) for name in stages},
    )


def silent(event: Event) -> None:
    """Nothing happens any more."""


def undisturbed(instrument: Instrument) -> None:
    """What was measured a second time is in the ledger's second chapter."""


class Recalled(Stopwatch):
    """Takes no launch: what the ledger does not hold was not measured, and a claim of it is not borne out."""

    def measure(self, numbers: Sequence[int], cases: Sequence[Case], *, confirming: bool) -> set[Case]:
        """Where the run had a budget, launches are missing because it was spent."""
        missing = {case for number in numbers for case in self.pending(number, cases)}
        return missing if self.purse.allowance != NO_END else set()

    def check_samples(self) -> None:
        """What was not compared while the run lasted is not there any more."""
