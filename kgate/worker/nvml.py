"""
A few numbers from NVIDIA's management library, straight from its shared object: no package needs to be installed.

Function names, clock and reason numbers are those of nvml.h. What cannot be read is left out, never guessed.
"""

import contextlib
import ctypes
import functools
from dataclasses import dataclass, field
from typing import Any

CLOCKS = {"sm-clock-mhz": 1, "memory-clock-mhz": 2}  # NVML_CLOCK_SM, NVML_CLOCK_MEM
TEMPERATURE_GPU = 0
REASONS = {  # nvmlClocksEventReason*; idle and application clocks are no throttling
    0x04: "power-cap",
    0x08: "hardware-slowdown",
    0x20: "software-thermal",
    0x40: "hardware-thermal",
    0x80: "power-brake",
}
UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class State:
    """`readings`: clocks in MHz, temperature in degrees Celsius, power in W; `throttle`: reasons, joined by commas."""

    driver: str = UNKNOWN
    mig: str = UNKNOWN
    power_limit_w: str = UNKNOWN
    throttle: str = ""
    readings: dict[str, float] = field(default_factory=dict)


def read(uuid: str) -> State:
    """Of the GPU with torch's uuid, with or without its "GPU-"."""
    library = loaded()
    handle = ctypes.c_void_p()
    identity = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    if library is None or library.nvmlDeviceGetHandleByUUID(identity.encode(), ctypes.byref(handle)) != 0:
        return State()
    return State(
        driver=driver(library),
        mig=mig(library, handle),
        power_limit_w=power_limit(library, handle),
        throttle=throttle(library, handle),
        readings=readings(library, handle),
    )


@functools.cache
def loaded() -> Any:
    with contextlib.suppress(OSError):
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if library.nvmlInit_v2() == 0:
            return library
    return None


def driver(library: Any) -> str:
    text = ctypes.create_string_buffer(96)
    return text.value.decode() if library.nvmlSystemGetDriverVersion(text, 96) == 0 else UNKNOWN


def mig(library: Any, handle: ctypes.c_void_p) -> str:
    current, pending = ctypes.c_uint(), ctypes.c_uint()
    if library.nvmlDeviceGetMigMode(handle, ctypes.byref(current), ctypes.byref(pending)) != 0:
        return "none"  # the GPU has no such mode
    return "on" if current.value else "off"


def power_limit(library: Any, handle: ctypes.c_void_p) -> str:
    limit_mw = number(library.nvmlDeviceGetPowerManagementLimit, handle)
    return UNKNOWN if limit_mw is None else str(limit_mw // 1000)


def throttle(library: Any, handle: ctypes.c_void_p) -> str:
    bits = ctypes.c_ulonglong()
    if library.nvmlDeviceGetCurrentClocksThrottleReasons(handle, ctypes.byref(bits)) != 0:
        return ""
    return ",".join(name for bit, name in REASONS.items() if bits.value & bit)


def readings(library: Any, handle: ctypes.c_void_p) -> dict[str, float]:
    found = {name: number(library.nvmlDeviceGetClockInfo, handle, clock) for name, clock in CLOCKS.items()}
    found["temperature-c"] = number(library.nvmlDeviceGetTemperature, handle, TEMPERATURE_GPU)
    power_mw = number(library.nvmlDeviceGetPowerUsage, handle)
    found["power-w"] = None if power_mw is None else power_mw // 1000
    return {name: float(value) for name, value in found.items() if value is not None}


def number(function: Any, handle: ctypes.c_void_p, *arguments: int) -> int | None:
    value = ctypes.c_uint()
    return int(value.value) if function(handle, *arguments, ctypes.byref(value)) == 0 else None
