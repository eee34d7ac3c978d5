"""What is at the other end: asks the worker's interpreter who it is, before anything is planned."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgate.errors import WorkerError
from kgate.model import HEAD, Arm
from kgate.protocol import VERSION, Bye, Hello, Identity, Job, Yardstick, decode
from kgate.runner.collect import Tail
from kgate.runner.control import create, discard
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import Child, Start, end, epitaph, fresh, log_tail
from kgate.runner.shelf import Refused
from kgate.wire import ProtocolError

TICK_S = 0.01
ADVICE = "mend `python` in the manifest, or pass --python with the interpreter that has torch"


def probe(
    workplace: Workplace,
    arm: Arm = HEAD,
    *,
    measure: tuple[Yardstick, ...] = (),
    start: Start = fresh,
    limits: Limits | None = None,
) -> Identity:
    """
    The fingerprint of interpreter and device as the worker sees them, and which DSLs are here; `measure` is the job's.

    Raises WorkerError if the interpreter is missing, is no Python that can run the worker, or has no torch.
    """
    identity = introduced(workplace, arm, measure=measure, start=start, limits=limits)
    if missing := identity.adapters.get("torch"):
        python = workplace.python[arm.tree]
        raise WorkerError(f"{python}: torch cannot be used there ({missing}); install torch, or {ADVICE}")
    return identity


def introduced(
    workplace: Workplace,
    arm: Arm = HEAD,
    *,
    measure: tuple[Yardstick, ...] = (),
    start: Start = fresh,
    limits: Limits | None = None,
) -> Identity:
    """As `probe`, with or without torch."""
    tree = str(workplace.trees[arm.tree].absolute())
    job = Job(mode="probe", arm=arm.name, tree=tree, device=workplace.device, measure=measure)
    with running(workplace, arm, job, start) as (child, replies):
        limits = limits or Limits()
        python = workplace.python[arm.tree]
        return identity_of(child, Tail(replies, limits.replies_bytes), limits.startup_s, python)


@contextmanager
def running(workplace: Workplace, arm: Arm, job: Job, start: Start) -> Iterator[tuple[Child, Path]]:
    """A process on this job, and the file of its replies; ended and gone afterwards. Raises WorkerError."""
    control = create(workplace, arm, job)
    try:
        child = start(workplace, arm, control.path)
    except OSError as error:
        discard(workplace, control)
        python = workplace.python[arm.tree]
        raise WorkerError(f"{python}: cannot be started ({error.strerror}); {ADVICE}") from error
    try:
        yield child, control.replies
    finally:
        end(child)
        discard(workplace, control)


def identity_of(child: Child, tail: Tail, patience_s: float, python: str) -> Identity:
    """Hello, Identity, Bye, and nothing else. Raises WorkerError."""
    try:
        said = replies_of(child, tail, 3, patience_s)
    except (ProtocolError, Refused) as error:
        raise WorkerError(f"{python}: its answer is not of the worker's protocol ({error}); {ADVICE}") from error
    match said:
        case [Hello(version=version), Identity() as identity, Bye()] if version == VERSION:
            return identity
    raise WorkerError(silent(child, python, patience_s))


def replies_of(child: Child, tail: Tail, count: int, patience_s: float) -> list[object]:
    """What a process says until it has said as much, has ended, or time is up. Raises ProtocolError or Refused."""
    said: list[object] = []
    until = time.monotonic() + patience_s
    while len(said) < count and time.monotonic() < until:
        status = child.status()
        said += [decode(line) for line in tail.lines()]
        if status is not None:
            break
        time.sleep(TICK_S)
    return said


def silent(child: Child, python: str, patience_s: float) -> str:
    status = child.status()
    ended = f"gave no answer within {patience_s:g} s" if status is None else epitaph(status)[1]
    last = log_tail(child.log).splitlines()[-1:]
    quoted = f" ({last[0][:300]})" if last else ""
    return f"{python}: is no Python 3.10 or newer that can run the worker: it {ended}{quoted}; {ADVICE}"
