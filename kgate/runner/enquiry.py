"""Asks the worker what dispatch functions of the product say of their own paths; their modules are imported there."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from kgate.model import Arm
from kgate.protocol import Described, Job
from kgate.runner.collect import Tail
from kgate.runner.launch import replies_of, running
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import Start, fresh
from kgate.runner.shelf import Refused
from kgate.wire import ProtocolError


def described(
    workplace: Workplace, arm: Arm, entries: Sequence[str], *, start: Start = fresh, limits: Limits | None = None
) -> Mapping[str, Described]:
    """
    By entry. One that is missing could not be loaded, or took its process with it: what runs it will say so, with all
    that belongs to a failure. Raises WorkerError where no process can be started.
    """
    wanted = tuple(dict.fromkeys(entries))
    tree = str(workplace.trees[arm.tree].absolute())
    job = Job(mode="describe", arm=arm.name, tree=tree, device=workplace.device, entries=wanted)
    limits = limits or Limits()
    said: list[object] = []
    with running(workplace, arm, job, start) as (child, replies), suppress(ProtocolError, Refused):
        said = replies_of(child, Tail(replies, limits.replies_bytes), len(wanted) + 2, limits.startup_s)
    return {reply.entry: reply for reply in said if isinstance(reply, Described) and reply.entry in wanted}
