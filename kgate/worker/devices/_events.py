"""
CUDA events around work on the current stream, behind a flush of the L2 cache and a kernel that waits.

Host time must not leak between the events: were the stream idle when the work begins, the GPU would wait for the host's
next launch inside the measured span (seen at 27 µs: one arm 14–91 % slow for a whole launch, in 4 of 75).
"""

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

from kgate.worker import nvml
from kgate.worker.devices import Sample
from kgate.worker.devices._graphs import Graph

FLUSHES = 2  # times the L2 cache, so that nothing of the inputs survives in it
CYCLES_PER_NS = 2.0  # no GPU's clock is above 2 GHz by much; a wait that is too long costs nothing but time
WAIT_FACTOR = 1.5  # of the host time seen for the work, since that varies
WAIT_LEAST_NS = 50_000  # launching two events and a short kernel, in a slow interpreter
WAIT_MOST_NS = 20_000_000
RESOLUTION_NS = 500.0  # of the time between two events (CUDA Runtime API, cudaEventElapsedTime)


class Events:
    """The timer of one device; `calls` is how many the last span held."""

    def __init__(self, name: str) -> None:
        import torch

        self.torch = torch
        self.name = name
        self.uuid = str(torch.cuda.get_device_properties(name).uuid)
        self.cold, self.flush_ns = cold(name)
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.calls = 1
        self.host_ns = 0
        self.leaked = 0
        self.late_ns = 0

    def sample(self, calls: Sequence[Callable[[], Any]]) -> Sample:
        def made() -> Any:
            for call in calls:
                returned = call()
            return returned

        span_ns, returned = self.span(made, len(calls))
        return Sample(span_ns=span_ns, call_ns=self.host_ns / len(calls), returned=returned)

    def captured(self, calls: Sequence[Callable[[], Any]]) -> Graph:
        return Graph(self.name, calls, self.span)

    def span(self, work: Callable[[], Any], calls: int) -> tuple[float, Any]:
        """ns on the device of each of the `calls` that `work` makes, and what it returned."""
        self.cold.zero_()
        wait_ns = min(WAIT_MOST_NS, WAIT_LEAST_NS + WAIT_FACTOR * self.host_ns)
        self.torch.cuda._sleep(int(CYCLES_PER_NS * wait_ns))
        self.begin.record()
        began_ns = time.perf_counter_ns()
        returned = work()
        self.host_ns = time.perf_counter_ns() - began_ns
        # The wait was over before the host had queued everything: the span holds some of the host's time.
        self.leaked += self.begin.query()
        self.end.record()
        self.end.synchronize()
        self.await_others()
        self.calls = calls
        return self.begin.elapsed_time(self.end) * 1e6 / calls, returned

    def await_others(self) -> None:
        """Work on other streams ends after the last event, outside the span; how late is told."""
        began_ns = time.perf_counter_ns()
        self.torch.cuda.synchronize(self.name)
        self.late_ns = max(self.late_ns, time.perf_counter_ns() - began_ns)

    def notes(self) -> dict[str, str | int | float]:
        state = nvml.read(self.uuid)
        told: dict[str, str | int | float] = {
            "host-time-leaked": self.leaked,
            "after-last-event-ns": self.late_ns,
            "flush-ns": self.flush_ns,
            "resolution-ns": RESOLUTION_NS / self.calls,
        }
        told.update(state.readings)
        if state.throttle:
            told["throttle"] = state.throttle
        self.leaked = self.late_ns = 0
        return told


@functools.cache
def cold(name: str) -> tuple[Any, float]:
    """What is written to flush the cache of a device, one for all cases of the process; and how long that takes."""
    import torch

    size_bytes = FLUSHES * torch.cuda.get_device_properties(name).L2_cache_size
    buffer = torch.empty(size_bytes, dtype=torch.uint8, device=name)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(2):  # the first one loads the kernel
        begin.record()
        buffer.zero_()
        end.record()
        end.synchronize()
    return buffer, begin.elapsed_time(end) * 1e6
