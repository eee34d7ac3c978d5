"""Who and what this interpreter and device are; works without torch, and then says so."""

import importlib
import platform
import sys
from collections.abc import Mapping, Sequence

from kgate.protocol import Identity
from kgate.worker import adapters, devices
from kgate.worker.devices import Traits
from kgate.worker.faults import Fault, foreign

INPUTS = "philox4x32-10"  # the data recipe: values of another one would make other times and errors


def identity(device_name: str, peaks_known: Sequence[str] | None = None) -> Identity:
    """
    A device that is not there leaves its fields out; `devices` says why. Peaks are measured where `peaks_known` does
    not name the device's uuid; None asks for none.
    """
    here = adapters.availability()
    traits = traits_of(device_name)
    must_match = {"inputs": INPUTS, **traits.must_match}
    for dsl in (dsl for dsl, reason in here.items() if not reason):
        must_match.update(adapters.of_name(dsl).identity())
    return Identity(
        must_match=must_match,
        may_drift=traits.may_drift,
        information={
            "host": platform.node(),
            "python": platform.python_version(),
            "interpreter": sys.executable,
            "system": platform.platform(),
            **adapters.shared_compilers(),
            **built_for(here),
            **traits.information,
        },
        adapters=here,
        devices=devices.availability() | {device_name: devices.unavailable(device_name)},
        peaks=peaks_of(device_name, traits.information.get("uuid", ""), peaks_known),
    )


def built_for(here: Mapping[str, str]) -> dict[str, str]:
    """The CUDA that torch is built with, and the GPUs that it is built for; on a machine without a GPU as well."""
    if here.get("torch", "no word of it"):
        return {}
    try:
        torch = foreign("environment", lambda: importlib.import_module("torch"))
    except Fault:
        return {}
    flags = getattr(torch._C, "_cuda_getArchFlags", lambda: None)() if torch.version.cuda else None
    told = {"torch-cuda": torch.version.cuda or "", "torch-architectures": flags or ""}
    return {name: text for name, text in told.items() if text}


def peaks_of(device_name: str, uuid: str, known: Sequence[str] | None) -> dict[str, float]:
    if known is None or uuid in ("", *known):
        return {}
    try:
        device = devices.device(device_name)
        return foreign("environment", lambda: device.peaks(device_name))
    except Fault:
        return {}


def traits_of(device_name: str) -> Traits:
    try:
        device = devices.device(device_name)
        traits = foreign("environment", lambda: device.traits(device_name))
    except Fault as fault:
        return Traits(must_match={}, information={"device-missing": fault.text})
    import torch

    precision = torch.get_float32_matmul_precision()
    return Traits(
        must_match={**traits.must_match, "timer": device.METHOD, "float32-matmul": precision},
        may_drift=traits.may_drift,
        information=traits.information,
    )
