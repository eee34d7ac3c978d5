"""
NVIDIA GPUs: CUDA events around the call, behind a flush of the L2 cache and a kernel that waits.

Host time must not leak between the events: were the stream idle when the call begins, the GPU would wait for the host's
next launch inside the measured span (seen at 27 µs: one arm 14–91 % slow for a whole launch, in 4 of 75).
"""

import time
from collections.abc import Callable
from typing import Any

from kgate.worker import nvml
from kgate.worker.devices import Launched, Sample, Traits

METHOD = "cuda-events-flush"
FLUSHES = 2  # times the L2 cache, so that nothing of the inputs survives in it
CYCLES_PER_NS = 2.0  # no GPU's clock is above 2 GHz by much; a wait that is too long costs nothing but time
WAIT_FACTOR = 1.5  # of the host time seen for the call, since that varies
WAIT_LEAST_NS = 50_000  # launching two events and a short kernel, in a slow interpreter
WAIT_MOST_NS = 20_000_000
NAMES_LIMIT, LETTERS_LIMIT = 200, 500  # kernel names reported of one call, and how much of each


def available(name: str) -> str:
    import torch

    if torch.version.hip:
        return f"{name}: this torch is built for AMD GPUs, which are not supported by this version"
    if torch.version.cuda is None:
        return f"{name}: torch {torch.__version__} is built without CUDA"
    count = torch.cuda.device_count()
    index = index_of(name)
    return "" if index < count else f"{name}: torch sees {count} CUDA devices"


def index_of(name: str) -> int:
    return int(name.partition(":")[2] or 0)


def select(name: str) -> None:
    import torch

    torch.cuda.set_device(name)


def traits(name: str) -> Traits:
    import torch

    properties = torch.cuda.get_device_properties(name)
    state = nvml.read(str(properties.uuid))
    return Traits(
        must_match={
            "device": properties.name,
            "capability": f"{properties.major}.{properties.minor}",
            "memory-bytes": str(properties.total_memory),
            "multiprocessors": str(properties.multi_processor_count),
            "cuda": str(torch.version.cuda),
            "driver": state.driver,
            "mig": state.mig,
            "power-limit-w": state.power_limit_w,
            "tf32": str(torch.backends.cuda.matmul.allow_tf32),
        },
        may_drift=dict(state.readings),
        information={"uuid": str(properties.uuid)},
    )


def synchronize(name: str) -> None:
    import torch

    torch.cuda.synchronize(name)


def held_bytes(name: str) -> int | None:
    import torch

    return int(torch.cuda.memory_allocated(name))


def peak_bytes(name: str) -> int | None:
    import torch

    return int(torch.cuda.max_memory_allocated(name))


def forget_peak(name: str) -> None:
    import torch

    torch.cuda.reset_peak_memory_stats(name)


def kernels(name: str, call: Callable[[], Any]) -> Launched | None:
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize(name)  # what was launched before is not this call's
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        call()
        torch.cuda.synchronize(name)
    events = [event.name for event in trace.events() or () if event.device_type == DeviceType.CUDA]
    launched = [event for event in events if not event.startswith(("Memcpy", "Memset"))]
    names = sorted({event[:LETTERS_LIMIT] for event in launched})
    return Launched(names=names[:NAMES_LIMIT], launches=len(launched))


class Events:
    """CUDA events on the current stream of one device."""

    def __init__(self, name: str) -> None:
        import torch

        self.torch = torch
        self.name = name
        self.index = index_of(name)
        properties = torch.cuda.get_device_properties(name)
        self.uuid = str(properties.uuid)
        size_bytes = FLUSHES * properties.L2_cache_size
        self.cold = torch.empty(size_bytes, dtype=torch.uint8, device=name)
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.host_ns = 0
        self.leaked = 0
        self.late_ns = 0

    def sample(self, call: Callable[[], Any], calls: int) -> Sample:
        cuda = self.torch.cuda
        self.cold.zero_()
        cuda._sleep(int(CYCLES_PER_NS * min(WAIT_MOST_NS, WAIT_LEAST_NS + WAIT_FACTOR * self.host_ns)))
        self.begin.record()
        began_ns = time.perf_counter_ns()
        for _ in range(calls):
            returned = call()
        self.host_ns = time.perf_counter_ns() - began_ns
        # The wait was over before the host had queued everything: the span holds some of the host's time.
        self.leaked += self.begin.query()
        self.end.record()
        self.end.synchronize()
        self.await_others()
        span_ns = self.begin.elapsed_time(self.end) * 1e6
        return Sample(span_ns=span_ns / calls, call_ns=self.host_ns / calls, returned=returned)

    def await_others(self) -> None:
        """Work on other streams ends after the last event, outside the span; how late is told."""
        began_ns = time.perf_counter_ns()
        self.torch.cuda.synchronize(self.name)
        self.late_ns = max(self.late_ns, time.perf_counter_ns() - began_ns)

    def notes(self) -> dict[str, str | int | float]:
        state = nvml.read(self.uuid)
        told: dict[str, str | int | float] = {"host-time-leaked": self.leaked, "after-last-event-ns": self.late_ns}
        told.update(state.readings)
        if state.throttle:
            told["throttle"] = state.throttle
        self.leaked = self.late_ns = 0
        return told


def timer(name: str) -> Events:
    return Events(name)
