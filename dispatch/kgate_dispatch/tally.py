"""What happened: counters by path and reason, the last call, and what has been said in the log."""

import collections
import itertools
import logging
import os
import threading
import weakref
from typing import get_args

from kgate_dispatch.decision import PATHS, Decision, Path, Reason

log = logging.getLogger("kgate_dispatch")


class Tally:
    """
    Shared by all threads. Counters only rise; `rearm` makes the log speak again.

    Counting takes no lock, which would cost as much as all the rest of a call: next() of an itertools.count is one
    step, with and without a GIL. Reading one is to take a number and to know how often that was done before.
    """

    def __init__(self) -> None:
        self.last: Decision | None = None  # of whichever thread called last
        self._rising = {Decision(path, reason): itertools.count() for path in PATHS for reason in get_args(Reason)}
        self.said: dict[str, object] = {}  # by topic
        self._reads = 0
        self._reading = threading.Lock()
        _tallies.add(self)

    def add(self, decision: Decision) -> None:
        next(self._rising[decision])
        self.last = decision

    def counts(self) -> collections.Counter[tuple[Path, Reason]]:
        """What never occurred is left out, and reads as 0."""
        with self._reading:
            counts = {decision: next(rising) - self._reads for decision, rising in self._rising.items()}
            self._reads += 1
        return collections.Counter({decision: count for decision, count in counts.items() if count})

    def say(self, topic: str, level: int, line: str) -> None:
        """Writes the line, unless this topic has had one. `said` tells beforehand whether to make the line at all."""
        mine = object()
        if self.said.setdefault(topic, mine) is mine:  # one step, so that one thread wins
            log.log(level, "%s", line)

    def rearm(self) -> None:
        self.said.clear()

    def unlock(self) -> None:
        self._reading = threading.Lock()


_tallies: weakref.WeakSet[Tally] = weakref.WeakSet()


def _unlock_all() -> None:
    """In a forked child, where a thread that held a lock does not exist any more to give it back."""
    for tally in list(_tallies):
        tally.unlock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_unlock_all)
