"""Who and what this interpreter and device are; works without torch, and then says so."""

import importlib
import platform
import sys
from collections.abc import Callable, Mapping, Sequence

from kgate.protocol import Identity, Yardstick
from kgate.worker import adapters, devices
from kgate.worker.devices import Traits
from kgate.worker.faults import Fault, foreign

INPUTS = "philox4x32-10"  # the data recipe: values of another one would make other times and errors


def identity(device_name: str, measure: Sequence[Yardstick] = ()) -> Identity:
    """A device that is not there leaves its fields out; `devices` says why."""
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
        peaks=measured(device_name, "peaks" in measure, lambda device: device.peaks(device_name)),
        spin=measured(device_name, "spin" in measure, lambda device: device.spin(device_name)),
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


def measured(device_name: str, wanted: bool, measure: Callable[[devices.Device], dict[str, float]]) -> dict[str, float]:
    """Nothing where the device is not here, or will not be measured."""
    if not wanted:
        return {}

    def on_it() -> dict[str, float]:
        device.select(device_name)
        return measure(device)

    try:
        device = devices.device(device_name)
        return foreign("environment", on_it)
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
