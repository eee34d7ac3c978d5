"""
`kgate calibrate`: the same code against itself, on the cases of a manifest, again and again.

    cases -> launches of head in two arms, over builds, starts and days -> components of variance
          -> replay: how often the gate would err on them -> a file that sets levels, for review
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path

from kgate.calibration import findings
from kgate.errors import UsageError
from kgate.load import calibrations
from kgate.model import BASE, HEAD, Calibration, Case
from kgate.options import Options
from kgate.plan import jobs
from kgate.rehearsal import Rehearsal, Round, twice
from kgate.runner.ledger import Ledger
from kgate.runner.process import Start, fresh
from kgate.runner.state import folder_at
from kgate.runner.warmup import fill_caches
from kgate.runner.zygote import Zygotes
from kgate.setting import Emit, Setting, clean, preloaded, prepare

FOLDER = "calibration"  # below .kgate, where no run sweeps
ARMS = (HEAD, BASE)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Of one day: how often all is compiled anew, how many starts follow each build, how many launches each start."""

    rebuilds: int = 2
    starts: int = 3
    launches: int = 8


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """`path`: where it was written for review, None without a folder of baselines; `missing`: by case, why."""

    found: Calibration
    path: Path | None
    missing: Mapping[str, str]
    on_gpu: bool


def calibrate(options: Options, effort: Effort, emit: Emit) -> Calibrated:
    """Raises what a check raises before it measures, and UsageError where no case can be timed here."""
    here = twice(prepare(replace(options, base="none"), emit))
    try:
        timed = tuple(case for case in here.plan.cases if here.plan.workloads[case].weight)
        if not timed:
            raise UsageError(f"nothing to calibrate: no workload of the manifest is timed on {here.plan.target.name}")
        with Ledger.open(ledger_path(here)) as ledger:
            rehearsal = Rehearsal(here, ledger, emit)
            measure(rehearsal, timed, effort)
            found = findings.calibration(here, timed, rehearsal)
    finally:
        clean(here, {})
    path = calibrations.path_of(here.manifest, here.plan.target.name)
    if path is not None:
        found = calibrations.merged(calibrations.read(path), found)
        calibrations.write(path, found)
    missing = {c.stable_name: rehearsal.missing.get(c.name, "it was not timed") for c in timed}
    missing = {name: why for name, why in missing.items() if name not in found.cases}
    return Calibrated(found=found, path=path, missing=missing, on_gpu=here.plan.target.kind != "cpu")


def ledger_path(here: Setting) -> Path:
    """One for each manifest and fingerprint: launches of all days, whatever the commit."""
    told = repr((str(here.manifest.path.relative_to(here.manifest.root)), sorted(here.fingerprint.must_match.items())))
    folder = folder_at(here.manifest.root) / FOLDER
    folder.mkdir(exist_ok=True)
    return folder / f"{here.plan.target.name}-{sha256(told.encode()).hexdigest()[:12]}.jsonl"


def measure(rehearsal: Rehearsal, cases: tuple[Case, ...], effort: Effort) -> None:
    """What of today's launches the ledger does not hold. A label is day/build/start/launch."""
    here = rehearsal.setting
    today = datetime.now(timezone.utc).date()
    work = {arm: jobs(here.plan, arm, cases) for arm in ARMS}
    for build in range(effort.rebuilds):
        place = replace(here.workplace, folder=here.folder / f"build-{build}")
        for start_number in range(effort.starts):
            labels = {n: f"{today}/{build}/{start_number}/{n}" for n in range(effort.launches)}
            if all(rehearsal.ledger.recall("launch", f"{label}|{c.name}") for label in labels.values() for c in cases):
                continue
            moved = replace(here, workplace=place)
            with started(moved, rehearsal.emit) as start:
                if here.plan.target.kind != "cpu":
                    fill_caches(place, work, start)
                for n, label in labels.items():
                    number = ((today.toordinal() * 100 + build) * 100 + start_number) * 1000 + n
                    rehearsal.take(Round(label=label, number=number, workplace=place, start=start), work)


@contextmanager
def started(here: Setting, emit: Emit) -> Iterator[Start]:
    """On a GPU all launches within it are children of one zygote an arm; on a CPU each is a process of its own."""
    if here.plan.target.kind == "cpu":
        yield fresh
        return
    with Zygotes(preloaded(here), emit) as zygotes:
        zygotes.warm(here.workplace, list(ARMS))
        yield zygotes.start
