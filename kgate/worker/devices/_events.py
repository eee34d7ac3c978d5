"""
CUDA events around work on the current stream, behind a flush of the L2 cache and a kernel that waits.

Several spans are queued before any is waited for: a wait for the device takes a host some 40 µs, and a device that has
the next span's work already needs no kernel that waits.

Host time must not leak between the events: were the stream idle when the work begins, the GPU would wait for the host's
next launch inside the measured span (seen at 27 µs: one arm 14–91 % slow for a whole launch, in 4 of 75).
"""

import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kgate.worker import nvml
from kgate.worker.devices import Queued, Sample
from kgate.worker.devices._graphs import Graph

FLUSHES = 2  # times the L2 cache, so that nothing of the inputs survives in it
CYCLES_PER_NS = 2.0  # no GPU's clock is above 2 GHz by much; a wait that is too long costs nothing but time
WAIT_FACTOR = 1.5  # of the host time seen for the work, since that varies
WAIT_LEAST_NS = 50_000  # launching two events and a short kernel, in a slow interpreter
WAIT_MOST_NS = 20_000_000
READ_EVERY_S = 0.2  # clocks and power: a dozen calls of the driver's, which take longer than a sample does
RESOLUTION_NS = 500.0  # of the time between two events (CUDA Runtime API, cudaEventElapsedTime)


class Span:
    """One measured piece of work; its time is there once the timer has settled."""

    def __init__(self, begin: Any, end: Any, calls: int, host_ns: int) -> None:
        self.begin = begin
        self.end = end
        self.calls = calls
        self.host_ns = host_ns

    def ns(self) -> float:
        """Of each call."""
        return float(self.begin.elapsed_time(self.end)) * 1e6 / self.calls


class Events:
    """The timer of one device; `calls` is how many the last span held."""

    def __init__(self, name: str) -> None:
        import torch

        self.torch = torch
        self.name = name
        self.uuid = str(torch.cuda.get_device_properties(name).uuid)
        self.cold, self.flush_ns = cold(name)
        self.unsettled: list[Span] = []
        self.calls = 1
        self.host_ns = 0
        self.leaked = 0
        self.late_ns = 0
        self.state = nvml.State()
        self.read_at = -math.inf

    def sample(self, calls: Sequence[Callable[[], Any]]) -> Sample:
        asked = self.queue(calls)
        self.settle()
        return replace(asked.sample(), returned=asked.returned)

    def queue(self, calls: Sequence[Callable[[], Any]]) -> Queued:
        def made() -> Any:
            for call in calls:
                returned = call()
            return returned

        span, made_last = self.span(made, len(calls))

        def sample() -> Sample:
            return Sample(span_ns=span.ns(), call_ns=span.host_ns / span.calls, returned=None)

        return Queued(returned=made_last, sample=sample)

    def captured(self, calls: Sequence[Callable[[], Any]]) -> Graph:
        return Graph(self.name, calls, self.span, self.settle)

    def span(self, work: Callable[[], Any], calls: int) -> tuple[Span, Any]:
        """
        Queue the `calls` that `work` makes, with all that a measured span needs before and behind them; and what it
        returned, which the span does not keep.
        """
        self.cold.zero_()
        if not self.ahead():
            wait_ns = min(WAIT_MOST_NS, WAIT_LEAST_NS + WAIT_FACTOR * self.host_ns)
            self.torch.cuda._sleep(int(CYCLES_PER_NS * wait_ns))
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        began_ns = time.perf_counter_ns()
        returned = work()
        self.host_ns = time.perf_counter_ns() - began_ns
        # The wait was over before the host had queued everything: the span holds some of the host's time.
        self.leaked += begin.query()
        end.record()
        self.calls = calls
        self.unsettled.append(Span(begin, end, calls, self.host_ns))
        return self.unsettled[-1], returned

    def ahead(self) -> bool:
        """Whether the host has queued a whole span that the device has yet to begin, and so has the time it needs."""
        return bool(self.unsettled) and not self.unsettled[-1].begin.query()

    def settle(self) -> None:
        """
        Wait for all spans. Work on other streams ends after the last event, outside the spans; how late is told, beyond
        what a wait for nothing takes on this host (some 40 µs were seen).
        """
        self.unsettled[-1].end.synchronize()
        waited_ns = [self.waited_ns() for _ in range(2)]
        self.late_ns = max(self.late_ns, waited_ns[0] - waited_ns[1])
        self.unsettled.clear()

    def waited_ns(self) -> int:
        began_ns = time.perf_counter_ns()
        self.torch.cuda.synchronize(self.name)
        return time.perf_counter_ns() - began_ns

    def notes(self) -> dict[str, str | int | float]:
        if time.monotonic() - self.read_at >= READ_EVERY_S:
            self.state, self.read_at = nvml.read(self.uuid), time.monotonic()
        state = self.state
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
