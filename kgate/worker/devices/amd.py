"""AMD GPUs, which this version refuses: their timer, cache flush and fingerprint are not written."""

from typing import Any, NoReturn

from kgate.worker.devices import Traits
from kgate.worker.faults import Fault

METHOD = "none"
METHODS: tuple[str, ...] = (METHOD,)
REFUSAL = "AMD GPUs are not supported by this version; use a CPU or an NVIDIA GPU"


def available(name: str) -> str:
    return REFUSAL


def refused(name: str, *_: Any, **__: Any) -> NoReturn:
    raise Fault("environment", "unavailable", REFUSAL)


def traits(name: str) -> Traits:
    refused(name)


select = synchronize = held_bytes = peak_bytes = forget_peak = give_back = kernels = peaks = spin = timer = refused
