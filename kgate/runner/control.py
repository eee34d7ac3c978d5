"""The control directory of one worker process: made, filled, and taken away when the process is gone."""

import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kgate.model import Arm
from kgate.protocol import (
    HELD,
    JOB,
    LOG,
    OUT,
    REPLIES,
    SOCKET,
    TABLES,
    Held,
    Job,
    Stored,
    encode_job,
    tensors_within,
)
from kgate.runner.environment import cache_variables
from kgate.runner.place import Workplace, slug
from kgate.runner.shelf import unwritable


@dataclass(frozen=True, kw_only=True)
class Control:
    path: Path

    @property
    def socket(self) -> Path:
        """Where the gate may listen, by `protocol.address`."""
        return self.path / SOCKET

    @property
    def log(self) -> Path:
        return self.path / LOG

    @property
    def replies(self) -> Path:
        return self.path / REPLIES

    @property
    def out(self) -> Path:
        return self.path / OUT


def create(workplace: Workplace, arm: Arm, job: Job) -> Control:
    """
    A folder of its own below the run's, with the job, the look-up tables it needs, and an empty out/.

    Raises HostError where it cannot be written.
    """
    try:
        return filled(workplace, arm, job)
    except OSError as error:
        raise unwritable(workplace.folder / "control", error) from error


def filled(workplace: Workplace, arm: Arm, job: Job) -> Control:
    # Absolute, since the worker's working directory is its tree.
    parent = workplace.folder.absolute() / "control"
    parent.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=f"{slug(arm)}-", dir=parent))
    control = Control(path=path)
    fill(path, workplace, arm, replace(job, socket=str(control.socket)) if job.mode == "lockstep" else job)
    return control


def fill(path: Path, workplace: Workplace, arm: Arm, job: Job) -> None:
    """The job, the tables that its inputs are drawn by, and an empty out/, in a folder that is there."""
    job = held(path / HELD, replace(job, env={**cache_variables(workplace, arm), **job.env}))
    (path / JOB).write_bytes(encode_job(job))
    (path / OUT).mkdir()
    drawn = [case for one in job.cases for case in (one, one.spare) if case is not None]
    specs = list(tensors_within(arg for case in drawn for arg in case.args.values()))
    if any(spec.fill.table for spec in specs):
        from kgate.philox import write_tables

        (path / TABLES).mkdir()
        write_tables(path / TABLES, specs)


def held(folder: Path, job: Job) -> Job:
    """The job with copies of the files that its comparisons read, since what reads them could change them as well."""
    if not any(case.held for case in job.cases):
        return job
    folder.mkdir()
    names: dict[str, str] = {}

    def copied(stored: Stored) -> Stored:
        if stored.file not in names:
            names[stored.file] = f"{len(names)}.bin"
            shutil.copyfile(stored.file, folder / names[stored.file])
        return replace(stored, file=names[stored.file])

    def moved(one: Held) -> Held:
        trials = tuple(replace(t, outputs=tuple(map(copied, t.outputs))) for t in one.trials)
        return Held(expected=tuple(map(copied, one.expected)), trials=trials)

    return replace(job, cases=tuple(replace(c, held=moved(c.held)) if c.held else c for c in job.cases))


def discard(workplace: Workplace, control: Control) -> None:
    """Take the folder away and keep its log, for whoever wants to read all of it."""
    with suppress(OSError):
        workplace.logs.mkdir(parents=True, exist_ok=True)
        if stat.S_ISREG(control.log.lstat().st_mode):
            control.log.replace(workplace.logs / f"{control.path.name}.txt")
    shutil.rmtree(control.path, ignore_errors=True)
