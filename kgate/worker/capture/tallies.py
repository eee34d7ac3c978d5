"""How often each entry point was called with which signature: counted by process, bounded, written now and then."""

import atexit
import inspect
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kgate.worker.capture.signatures import Bounds, bounds_in, key, plain

NOT_IMPORTED = "its module was not imported"
WRITTEN_S = 2.0  # at least between two writings: what is killed leaves its last one
Key = tuple[Any, ...]


class Counted:
    """One signature: its calls, the arguments by name as JSON has them, and the bounds of its tensors."""

    def __init__(self, args: dict[str, Any]) -> None:
        self.calls = 0
        self.args = args
        self.bounds: dict[str, Bounds] = {}


class Tally:
    """
    Of one entry point. `limit` signatures are kept; calls of further ones are counted as folded. `first` is the tally
    of what the product calls, for which this one stands in while that was never called.
    """

    def __init__(self, entry: str, limit: int, owner: "Tallies", first: "Tally | None" = None) -> None:
        self.entry, self.limit, self.owner, self.first = entry, limit, owner, first
        self.parameters: inspect.Signature | None = None
        self.note = NOT_IMPORTED
        self.clear()

    def clear(self) -> None:
        self.folded = 0
        self.counted: dict[Key, Counted] = {}
        self.last: tuple[Key | None, Counted | None] = (None, None)

    def describe(self, function: Callable[..., Any]) -> None:
        try:
            self.parameters = inspect.signature(function)
        except (TypeError, ValueError):
            self.parameters = None

    def see(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """
        Never raises: a call of the product's must not fail for having been seen.

        Of a tally that stands in for another, nothing is looked at once that one has been called.
        """
        if self.first is not None and self.first.counted:
            return
        try:
            called = key(args, kwargs, self.owner.tensors or self.owner.tensor_types())
            last, found = self.last
            again = called == last  # most calls repeat the one before, and comparing costs a quarter of hashing
            if not again:
                found = self.counted.get(called) or self.new(args, kwargs)
            with self.owner.lock:
                if not again:
                    found = self.kept(called, found)
                    self.last = (called, found)
                if found is None:
                    self.folded += 1
                    return
                found.calls += 1
                calls = found.calls
            # At the first call, the second, the fourth …: the bounds of a thousand calls cost ten looks.
            if calls & (calls - 1) == 0:
                self.look(found, args, kwargs)
        except Exception as error:  # noqa: BLE001  whatever an argument's own class may do
            self.note = f"a call could not be recorded: {type(error).__name__}"

    def new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Counted | None:
        """None beyond the limit. Never under the lock: an argument's own class may call what is counted here."""
        if len(self.counted) >= self.limit:
            return None
        return Counted({name: plain(value) for name, value in self.named(args, kwargs).items()})

    def kept(self, called: Key, made: Counted | None) -> Counted | None:
        """Under the lock. What another thread has put there meanwhile, else `made`; None beyond the limit."""
        if made is not None and called not in self.counted and len(self.counted) < self.limit:
            self.counted[called] = made
        return self.counted.get(called)

    def look(self, found: Counted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        with suppress(Exception):  # of a transformed tensor, which has no elements here
            for path, bounds in bounds_in(self.named(args, kwargs)):
                known = found.bounds.get(path)
                found.bounds[path] = bounds if known is None else known.joined(bounds)
        self.owner.write_now_and_then()

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
        """By parameter, defaults included, in the order declared; by position where that is not known."""
        if self.parameters is None:
            return {**{f"arg{n}": value for n, value in enumerate(args)}, **kwargs}
        bound = self.parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments


class Tallies:
    """Of this process. A forked child starts from nothing, and leaves a file of its own."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.all: list[Tally] = []
        self.tensors: frozenset[type] = frozenset()  # none before the product has imported torch
        self.begin()
        atexit.register(self.write)
        os.register_at_fork(after_in_child=self.begin)

    def begin(self) -> None:
        self.lock = threading.Lock()
        self.written_s = 0.0
        self.ending = False
        for tally in self.all:
            tally.clear()

    def tensor_types(self) -> frozenset[type]:
        if torch := sys.modules.get("torch"):
            self.tensors = frozenset((torch.Tensor, torch.nn.Parameter))
        return self.tensors

    def tally(self, entry: str, first: Tally | None = None) -> Tally:
        found = Tally(entry, self.limit, self, first)
        self.all.append(found)
        return found

    def write_now_and_then(self) -> None:
        if not self.ending and (util := sys.modules.get("multiprocessing.util")):
            self.ending = True
            util.Finalize(None, self.write, exitpriority=0)  # such a child ends without running what atexit has
        if time.monotonic() - self.written_s >= WRITTEN_S:
            self.write()

    def write(self) -> None:
        """The whole file, or the one before. What goes wrong is the gate's to notice, which finds no file."""
        self.written_s = time.monotonic()
        with self.lock:
            body = json.dumps({"entries": [document(tally) for tally in self.all]})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            target = self.folder / f"{os.getpid()}.json"
            partial = target.with_suffix(".partial")
            partial.write_text(body, "utf-8")
            partial.replace(target)
        except OSError:
            pass


def document(tally: Tally) -> dict[str, Any]:
    signatures = [
        {"calls": c.calls, "args": c.args, "bounds": {path: b.document() for path, b in c.bounds.items()}}
        for c in tally.counted.values()
    ]
    return {"entry": tally.entry, "folded": tally.folded, "note": tally.note, "signatures": signatures}
