"""
One file per DSL, and the table of them. A DSL is added with one file here and one line in ADAPTERS.

`Adapter` states what such a module offers. None of them imports its DSL before `prepare`.
"""

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from kgate.worker.faults import Fault, foreign

ADAPTERS: dict[str, str] = {
    "torch": "kgate.worker.adapters.torch",
    "tilelang": "kgate.worker.adapters.tilelang",
}
# Known by name, so that the sentence is about the version and not about a misspelling.
LATER: tuple[str, ...] = ("cutile", "triton", "cutedsl", "cuda")


@dataclass(frozen=True, kw_only=True)
class Compiles:
    """What the DSL's compiler did since the process began, or between two looks."""

    count: int
    ns: int

    def since(self, before: "Compiles") -> "Compiles":
        return Compiles(count=self.count - before.count, ns=self.ns - before.ns)


class Adapter(Protocol):
    def available(self) -> str:
        """ "" if the DSL is installed, else a sentence; imports nothing."""

    def prepare(self) -> None:
        """Import the DSL and hook its compiler, before anything of the user's; twice does no harm. May raise."""

    def compiles(self) -> Compiles | None:
        """None if this DSL's compilations cannot be told."""

    def is_compile_error(self, error: BaseException) -> bool:
        """Whether this came out of the DSL's compiler, rather than out of the call."""

    def identity(self) -> Mapping[str, str]:
        """Must-match fields of the fingerprint: versions of the compiler. Only asked where available."""


def adapter(dsl: str) -> Adapter:
    """Raises Fault of rung "environment" if there is no such adapter or its DSL is not here."""
    if reason := unavailable(dsl):
        raise Fault("environment", "unavailable", reason)
    found = of_name(dsl)
    foreign("environment", found.prepare)
    return found


def availability() -> dict[str, str]:
    return {dsl: unavailable(dsl) for dsl in (*ADAPTERS, *LATER)}


def unavailable(dsl: str) -> str:
    if dsl in LATER:
        return f"{dsl}: not supported by this version"
    if dsl not in ADAPTERS:
        return f"no adapter {dsl!r}; there are {', '.join(ADAPTERS)}"
    return of_name(dsl).available()


def of_name(dsl: str) -> Adapter:
    return cast(Adapter, importlib.import_module(ADAPTERS[dsl]))


def missing(package: str) -> str:
    """ "" if the package is installed for this interpreter, else a sentence."""
    if importlib.util.find_spec(package) is None:
        return f"{package} is not installed for {sys.executable}"
    return ""


if TYPE_CHECKING:
    from kgate.worker.adapters import tilelang, torch

    CHECKED: tuple[Adapter, ...] = (torch, tilelang)
