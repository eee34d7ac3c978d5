"""How long the gate's own quiet kernel takes on a GPU, so that it can be made as long as is wanted."""

import statistics
from functools import partial

from kgate.worker import quiet
from kgate.worker.devices._events import Events

CALLS, SPANS = 32, 9  # in a graph, and how often it is replayed
LONG_CYCLES = 100_000  # some 50 µs: long beside the call itself, and short enough to be measured in no time


def spin(name: str) -> dict[str, float]:
    """By the timer of short kernels: ns of a call whose wait ends at once, and ns that each cycle more takes."""
    import torch

    timer = Events(name)
    source = torch.zeros(quiet.ELEMENTS, device=name)

    def taken_ns(cycles: int) -> float:
        graph = timer.captured([partial(quiet.call, source, cycles, 1)] * CALLS)
        return statistics.median(graph.span_ns() for _ in range(SPANS))

    call_ns = taken_ns(1)
    return {"call-ns": call_ns, "ns-per-cycle": (taken_ns(LONG_CYCLES) - call_ns) / (LONG_CYCLES - 1)}
