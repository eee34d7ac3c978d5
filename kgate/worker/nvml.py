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
LETTERS = 96  # of a name; nvml.h has 96 for a GPU's and a UUID's, 80 for the driver's
PROCESSES = 128  # told of one GPU at most
MEMORY_UNKNOWN = (1 << 64) - 1  # NVML_VALUE_NOT_AVAILABLE
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


class Process(ctypes.Structure):
    """nvmlProcessInfo_t, as nvmlDeviceGetComputeRunningProcesses_v3 fills it."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("used_bytes", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class Memory(ctypes.Structure):
    """nvmlMemory_t, as nvmlDeviceGetMemoryInfo fills it."""

    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


@dataclass(frozen=True, kw_only=True)
class Card:
    """
    A GPU of this machine, whatever torch makes of it; "" and None where it cannot be read.

    `processes`: pid and bytes of GPU memory of each that computes on it. A container may not be told of those outside.
    """

    name: str
    uuid: str
    capability: str = ""  # "9.0"
    persistence: bool | None = None
    most_sm_mhz: int | None = None
    processes: tuple[tuple[int, int | None], ...] | None = None
    used_bytes: int | None = None  # of its memory, by all processes and the driver
    total_bytes: int | None = None
    state: State = field(default_factory=State)


def installed_driver() -> str:
    """Such as "580.95.05"; "" where none answers."""
    said = UNKNOWN if loaded() is None else driver(loaded())
    return "" if said == UNKNOWN else said


def cards() -> tuple[Card, ...]:
    """In the order of the driver, which is not always torch's."""
    library = loaded()
    count = ctypes.c_uint()
    if library is None or library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return ()
    found = []
    for index in range(count.value):
        handle = ctypes.c_void_p()
        if library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
            found.append(card(library, handle))
    return tuple(found)


def card(library: Any, handle: ctypes.c_void_p) -> Card:
    uuid, persistent = letters(library.nvmlDeviceGetUUID, handle), number(library.nvmlDeviceGetPersistenceMode, handle)
    return Card(
        name=letters(library.nvmlDeviceGetName, handle),
        uuid=uuid,
        capability=capability(library, handle),
        persistence=None if persistent is None else bool(persistent),
        most_sm_mhz=number(library.nvmlDeviceGetMaxClockInfo, handle, CLOCKS["sm-clock-mhz"]),
        processes=processes(library, handle),
        **memory(library, handle),
        state=read(uuid),
    )


def capability(library: Any, handle: ctypes.c_void_p) -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    said = library.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}" if said == 0 else ""


def processes(library: Any, handle: ctypes.c_void_p) -> tuple[tuple[int, int | None], ...] | None:
    count, seen = ctypes.c_uint(PROCESSES), (Process * PROCESSES)()
    ask = getattr(library, "nvmlDeviceGetComputeRunningProcesses_v3", None)  # not of drivers before r510
    if ask is None or ask(handle, ctypes.byref(count), seen) != 0:
        return None
    told = seen[: count.value]
    return tuple((int(p.pid), None if p.used_bytes == MEMORY_UNKNOWN else int(p.used_bytes)) for p in told)


def memory(library: Any, handle: ctypes.c_void_p) -> dict[str, int]:
    seen = Memory()
    if library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(seen)) != 0:
        return {}
    return {"used_bytes": int(seen.used), "total_bytes": int(seen.total)}


def letters(function: Any, handle: ctypes.c_void_p) -> str:
    text = ctypes.create_string_buffer(LETTERS)
    return text.value.decode("utf-8", "replace") if function(handle, text, LETTERS) == 0 else ""


def read(uuid: str) -> State:
    """Of the GPU with torch's uuid, with or without its "GPU-"."""
    library = loaded()
    handle = None if library is None else found(library, uuid)
    if handle is None:
        return State()
    return State(
        driver=driver(library),
        mig=mig(library, handle),
        power_limit_w=power_limit(library, handle),
        throttle=throttle(library, handle) or "",
        readings=readings(library, handle),
    )


def throttled(uuid: str) -> str | None:
    """Why the clocks of the GPU with torch's uuid are low at this moment, joined by commas; None if nobody can tell."""
    library = loaded()
    handle = None if library is None else found(library, uuid)
    return None if handle is None else throttle(library, handle)


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


def found(library: Any, uuid: str) -> ctypes.c_void_p | None:
    handle = ctypes.c_void_p()
    identity = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    known = library.nvmlDeviceGetHandleByUUID(identity.encode(), ctypes.byref(handle)) == 0
    return handle if known else None


def throttle(library: Any, handle: ctypes.c_void_p) -> str | None:
    bits = ctypes.c_ulonglong()
    if library.nvmlDeviceGetCurrentClocksThrottleReasons(handle, ctypes.byref(bits)) != 0:
        return None
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
