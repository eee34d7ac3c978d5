"""
One file per kind of device, and the table of them. A kind is added with one file here and one line in DEVICES.

`Device` states what such a module offers; `name` is always torch's name of one device, as "cpu" or "cuda:0".
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from kgate.worker.faults import Fault, foreign

DEVICES: dict[str, str] = {
    "cpu": "kgate.worker.devices.cpu",
    "cuda": "kgate.worker.devices.nvidia",
    "hip": "kgate.worker.devices.amd",
}


@dataclass(frozen=True, kw_only=True)
class Traits:
    """A device's part of the fingerprint; the three classes are the protocol's Identity's."""

    must_match: dict[str, str]
    may_drift: dict[str, float] = field(default_factory=dict)
    information: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One timed sample: device span and host time of one call, each the mean over the sample's calls."""

    span_ns: float
    call_ns: float
    returned: Any  # of the last call, where it is not kept elsewhere


@dataclass(frozen=True, kw_only=True)
class Launched:
    """Device kernels of one call: their names, each once and not all of very many, and how often any was launched."""

    names: list[str]
    launches: int
    trace: list[str] = field(default_factory=list)  # each launch in order, with grid, block and shared memory


@dataclass(frozen=True, kw_only=True)
class Queued:
    """A sample that the host has queued: what its last call returned, and its times once the timer has settled."""

    returned: Any
    sample: Callable[[], Sample]


class Captured(Protocol):
    """Calls that the device repeats without the host."""

    returned: Sequence[Any]  # of each call; every repetition writes it anew

    def span_ns(self) -> float:
        """Set the caches alike, then time all of them: device span of one."""

    def queue(self) -> Callable[[], float]:
        """The same, without waiting: the span is there once the timer has settled."""


class Timer(Protocol):
    def sample(self, calls: Sequence[Callable[[], Any]]) -> Sample:
        """Set the caches alike, then time these calls, one after the other. What they raise passes through."""

    def queue(self, calls: Sequence[Callable[[], Any]]) -> Queued:
        """The same, without waiting for the device."""

    def settle(self) -> None:
        """Wait for all that is queued; there has to be something."""

    def captured(self, calls: Sequence[Callable[[], Any]]) -> Captured:
        """Raises whatever the device, or a call, has against it; the process may then be of no use any more."""

    def notes(self) -> dict[str, str | int | float]:
        """What a reader of the times since the last look must know; clears it."""


class Device(Protocol):
    METHOD: str  # of timing a case, where no other is asked for; part of the fingerprint
    METHODS: tuple[str, ...]  # all that its timer has

    def available(self, name: str) -> str:
        """ "" if this device can be used, else a sentence. May raise where torch cannot be imported."""

    def select(self, name: str) -> None:
        """Make it the current device."""

    def traits(self, name: str) -> Traits: ...

    def synchronize(self, name: str) -> None:
        """Wait for all of its work; raises what that work has raised."""

    def held_bytes(self, name: str) -> int | None:
        """Memory allocated through torch at this moment; None if it is not counted."""

    def peak_bytes(self, name: str) -> int | None:
        """The most of it since `forget_peak`."""

    def forget_peak(self, name: str) -> None: ...

    def give_back(self, name: str, everything: bool = False) -> None:
        """Let other processes have the memory that torch holds unused, if that is much; or all of it."""

    def kernels(self, name: str, call: Callable[[], Any]) -> Launched | None:
        """What one call launches, copies and fills left out; None if there is nothing of the kind."""

    def peaks(self, name: str) -> dict[str, float]:
        """The most that the device does per second, by measuring; empty where that is not known."""

    def spin(self, name: str) -> dict[str, float]:
        """Identity.spin: how long `quiet.call` takes on it; empty where it has no kernel that waits."""

    def timer(self, name: str) -> Timer: ...


def device(name: str) -> Device:
    """Raises Fault of rung "environment" if this device is not here."""
    if reason := unavailable(name):
        raise Fault("environment", "unavailable", reason)
    return of_kind(name)


def availability() -> dict[str, str]:
    return {kind: unavailable(kind) for kind in DEVICES}


def unavailable(name: str) -> str:
    if name.partition(":")[0] not in DEVICES:
        return f"no device {name!r}; there are {', '.join(DEVICES)}"
    try:
        return foreign("environment", lambda: of_kind(name).available(name))
    except Fault as fault:
        return f"{name}: {fault.text}"


def alive(name: str) -> bool:
    """
    Whether the device still answers. After an illegal access none does, and no later case of the process can be judged.

    One that never was there has not been lost.
    """
    if unavailable(name):
        return True
    try:
        foreign("environment", lambda: of_kind(name).synchronize(name))
    except Fault:
        return False
    return True


def of_kind(name: str) -> Device:
    return cast(Device, importlib.import_module(DEVICES[name.partition(":")[0]]))


if TYPE_CHECKING:
    from kgate.worker.devices import amd, cpu, nvidia

    CHECKED: tuple[Device, ...] = (cpu, nvidia, amd)
