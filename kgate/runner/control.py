"""The control directory of one worker process: made, filled, and taken away when the process is gone."""

import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kgate.model import Arm
from kgate.protocol import JOB, LOG, OUT, REPLIES, TABLES, Job, encode_job, tensors_within
from kgate.runner.environment import cache_variables
from kgate.runner.place import Workplace, slug
from kgate.runner.shelf import unwritable

# sockaddr_un holds 108 bytes with the closing zero (unix(7)); the rest is room for a name beside it.
SOCKET_PATH_BYTES = 100


@dataclass(frozen=True, kw_only=True)
class Control:
    """`socket` is where the gate may listen: in the folder if its path is short enough, else in a private one."""

    path: Path
    socket: Path

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
    lockstep = job.mode == "lockstep"
    control = Control(path=path, socket=short_socket(path) if lockstep else path / "sock")
    fill(path, workplace, arm, replace(job, socket=str(control.socket)) if lockstep else job)
    return control


def fill(path: Path, workplace: Workplace, arm: Arm, job: Job) -> None:
    """The job, the tables that its inputs are drawn by, and an empty out/, in a folder that is there."""
    job = replace(job, env={**cache_variables(workplace, arm), **job.env})
    (path / JOB).write_bytes(encode_job(job))
    (path / OUT).mkdir()
    drawn = [case for one in job.cases for case in (one, one.spare) if case is not None]
    specs = list(tensors_within(arg for case in drawn for arg in case.args.values()))
    if any(spec.fill.table for spec in specs):
        from kgate.philox import write_tables

        (path / TABLES).mkdir()
        write_tables(path / TABLES, specs)


def short_socket(path: Path) -> Path:
    if len(str(path / "sock").encode()) <= SOCKET_PATH_BYTES:
        return path / "sock"
    return Path(tempfile.mkdtemp(prefix="kgate-", dir=tempfile.gettempdir())) / "sock"


def discard(workplace: Workplace, control: Control) -> None:
    """Take the folder away and keep its log, for whoever wants to read all of it."""
    with suppress(OSError):
        workplace.logs.mkdir(parents=True, exist_ok=True)
        if stat.S_ISREG(control.log.lstat().st_mode):
            control.log.replace(workplace.logs / f"{control.path.name}.txt")
    shutil.rmtree(control.path, ignore_errors=True)
    if control.socket.parent != control.path:
        shutil.rmtree(control.socket.parent, ignore_errors=True)
