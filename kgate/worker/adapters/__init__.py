"""
One file per DSL, and the table of them. A DSL is added with one file here and one line in ADAPTERS.

`Adapter` states what such a module offers. None of them imports its DSL before `prepare`.
"""

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from kgate.protocol import ArtifactKind
from kgate.worker.faults import Fault, foreign

ADAPTERS: dict[str, str] = {
    "torch": "kgate.worker.adapters.torch",
    "tilelang": "kgate.worker.adapters.tilelang",
    "triton": "kgate.worker.adapters.triton",
    "cutile": "kgate.worker.adapters.cutile",
    "cuda": "kgate.worker.adapters.cuda",
    "cutedsl": "kgate.worker.adapters.cutedsl",
}


@dataclass(frozen=True, kw_only=True)
class Compiles:
    """What the DSL's compiler did since the process began, or between two looks."""

    count: int
    ns: int

    def since(self, before: "Compiles") -> "Compiles":
        return Compiles(count=self.count - before.count, ns=self.ns - before.ns)


@dataclass(frozen=True, kw_only=True)
class Built:
    """One variant of a device kernel, as the DSL's compiler made it. None and "" where the DSL does not tell."""

    kernel: str  # the device kernel's name
    arch: str  # "sm_90a"
    cubin: bytes | None = None
    texts: Mapping[ArtifactKind, str] = field(default_factory=dict)  # what the compiler went through on the way
    dynamic_shared_bytes: int = 0  # asked for at launch, on top of what the cubin holds
    config: Mapping[str, str] = field(default_factory=dict)  # tile sizes, warps, stages, compiler options
    compile_ns: int | None = None  # None where it came from a cache
    note: str = ""  # what cannot be told here, and why


class Adapter(Protocol):
    PACKAGE: str  # whose absence is the absence of the DSL

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

    def used(self) -> AbstractContextManager[list[Built]]:
        """
        Fills the list with the device kernels that calls within it run, each variant once, in the order first used.

        Empty for a DSL that does not tell. After `prepare`; a kernel that a cache holds is told of all the same.
        """

    def dry(self, arch: str) -> AbstractContextManager[list[Built]]:
        """
        Within it, what would run a kernel compiles it for `arch` ("sm_90") and launches nothing; the list fills as in
        `used`. Arguments are tensors without memory that say that they are on "cuda:0". Raises Fault of rung
        "environment" where this cannot be done here; what the compiler raises comes out of the call.
        """

    def tuned(self) -> Mapping[str, str]:
        """Picks of the DSL's autotuners in this process so far: tuner and key -> the configuration taken."""

    def spaces(self) -> Mapping[str, Sequence[str]]:
        """By the names of `tuned`: every configuration that its tuner could have taken, in the order listed."""

    def freeze(self, picks: Mapping[str, str]) -> None:
        """Have the autotuners of this process take these picks (of `tuned`) and time nothing for their keys."""


def adapter(dsl: str) -> Adapter:
    """Raises Fault of rung "environment" if there is no such adapter or its DSL is not here."""
    if reason := unavailable(dsl):
        raise Fault("environment", "unavailable", reason)
    found = of_name(dsl)
    foreign("environment", found.prepare)
    return found


def availability() -> dict[str, str]:
    return {dsl: unavailable(dsl) for dsl in ADAPTERS}


def unavailable(dsl: str) -> str:
    if dsl not in ADAPTERS:
        return f"no adapter {dsl!r}; there are {', '.join(ADAPTERS)}"
    return of_name(dsl).available()


def of_name(dsl: str) -> Adapter:
    return cast(Adapter, importlib.import_module(ADAPTERS[dsl]))


def shared_compilers() -> dict[str, str]:
    """Versions of compilers that several DSLs call and none brings along."""
    from kgate.worker.adapters import _nvcc

    said = _nvcc.version()
    return {"nvcc": said} if said else {}


def missing(package: str) -> str:
    """ "" if the package is installed for this interpreter, else a sentence."""
    if importlib.util.find_spec(package) is None:
        return f"{package} is not installed for {sys.executable}"
    return ""


if TYPE_CHECKING:
    from kgate.worker.adapters import cuda, cutedsl, cutile, tilelang, torch, triton

    CHECKED: tuple[Adapter, ...] = (torch, tilelang, triton, cutile, cuda, cutedsl)
