"""GPUs as NVIDIA's library tells of them, through a library that answers as nvml.h says."""

import ctypes
from typing import Any

from kgate.worker import nvml

OK, NOT_SUPPORTED = 0, 3  # nvmlReturn_t
UUID = "GPU-4c6b"


class Library:
    """One GPU of capability 9.0 with two processes, of which the memory of the second is not told."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: NOT_SUPPORTED

    def nvmlDeviceGetName(self, handle: Any, text: Any, letters: int) -> int:
        text.value = b"NVIDIA H200"
        return OK

    def nvmlDeviceGetUUID(self, handle: Any, text: Any, letters: int) -> int:
        text.value = UUID.encode()
        return OK

    def nvmlDeviceGetCudaComputeCapability(self, handle: Any, major: Any, minor: Any) -> int:
        major._obj.value, minor._obj.value = 9, 0
        return OK

    def nvmlDeviceGetPersistenceMode(self, handle: Any, mode: Any) -> int:
        mode._obj.value = 0
        return OK

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle: Any, count: Any, seen: Any) -> int:
        count._obj.value = 2
        seen[0].pid, seen[0].used_bytes = 41, 3 << 30
        seen[1].pid, seen[1].used_bytes = 7, nvml.MEMORY_UNKNOWN
        return OK

    def nvmlDeviceGetMemoryInfo(self, handle: Any, seen: Any) -> int:
        seen._obj.total, seen._obj.free, seen._obj.used = 141 << 30, 138 << 30, 3 << 30
        return OK


class OldLibrary(Library):
    """Of a driver that has no third version of this function."""

    @property
    def nvmlDeviceGetComputeRunningProcesses_v3(self) -> Any:
        raise AttributeError


def test_what_the_library_tells_is_read_and_what_it_does_not_is_left_out() -> None:
    card = nvml.card(Library(), ctypes.c_void_p())

    assert (card.name, card.uuid, card.capability) == ("NVIDIA H200", UUID, "9.0")
    assert card.persistence is False
    assert card.processes == ((41, 3 << 30), (7, None))
    assert (card.used_bytes, card.total_bytes) == (3 << 30, 141 << 30)
    assert card.most_sm_mhz is None


def test_a_process_is_laid_out_as_the_header_has_it() -> None:
    assert ctypes.sizeof(nvml.Process) == 24  # unsigned, padding, unsigned long long, two unsigned
    assert ctypes.sizeof(nvml.Memory) == 24
    assert nvml.Process.used_bytes.offset == 8


class HotLibrary(Library):
    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, bits: Any) -> int:
        bits._obj.value = 0x04 | 0x40 | 0x01  # SwPowerCap, HwThermalSlowdown and GpuIdle of nvml.h
        return OK


def test_why_clocks_are_low_is_told_by_name_and_idling_is_no_reason() -> None:
    assert nvml.throttle(HotLibrary(), ctypes.c_void_p()) == "power-cap,hardware-thermal"


def test_a_library_that_does_not_tell_why_clocks_are_low_is_not_taken_for_a_cool_device() -> None:
    assert nvml.throttle(Library(), ctypes.c_void_p()) is None
