"""The custom path: a function, or the name of one that is imported at the first call that wants it."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kgate_dispatch.naming import attribute, name_of
from kgate_dispatch.needs import Need, Package, imported


@dataclass(frozen=True, kw_only=True)
class Found:
    function: Callable[..., Any] | None
    why: str = ""  # there is no function


class CustomPath:
    """`found` is None until somebody searched. Two threads may search at once; both find the same."""

    def __init__(self, target: str | Callable[..., Any], needs: Iterable[Need]) -> None:
        self.name = target if isinstance(target, str) else name_of(target)
        self.found: Found | None = None
        self._target = target
        self._needs = tuple(needs)
        self._lock = threading.Lock()
        self._era = object()

    def search(self) -> Found:
        era = self._era
        found = self._searched()
        with self._lock:
            if era is self._era:  # otherwise forgotten meanwhile, and what was found is of the past
                self.found = found
        return found

    def forget(self) -> None:
        with self._lock:
            self._era = object()
            self.found = None

    def packages(self) -> tuple[str, ...]:
        """Those that are asked for by package()."""
        return tuple(need.name for need in self._needs if isinstance(need, Package))

    def _searched(self) -> Found:
        for need in self._needs:
            why = need()
            if why is not None:
                return Found(function=None, why=why)
        if callable(self._target):
            return Found(function=self._target)
        module_name, _, path = self._target.partition(":")
        module, why = imported(module_name)
        if why is not None:
            return Found(function=None, why=why)
        function = attribute(module, path)
        if callable(function):
            return Found(function=function)
        return Found(function=None, why=f"{module_name} has no function {path}")
