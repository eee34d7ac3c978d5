"""
The worker in mode lockstep on a CPU that is timed like a GPU: `python rotating.py CONTROL`.

A capture calls every function once; a replay calls it again and writes over what the capture gave.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[3]))

from kgate.protocol import CUDA_TIMERS, SINGLE
from kgate.worker import control as controls
from kgate.worker import lockstep
from kgate.worker.devices import cpu

CAPTURING = [False]
torch.cuda.is_current_stream_capturing = lambda: CAPTURING[0]


class Replay:
    def __init__(self, calls: Sequence[Callable[[], Any]]) -> None:
        self.calls = calls
        CAPTURING[0] = True
        try:
            self.returned: Sequence[Any] = [call() for call in calls]
        finally:
            CAPTURING[0] = False

    def span_ns(self) -> float:
        began_ns = time.perf_counter_ns()
        for call, kept in zip(self.calls, self.returned, strict=True):
            if not getattr(kept, "not_captured", False):
                fresh = call()
                if kept is not None:
                    kept.copy_(fresh)
        return (time.perf_counter_ns() - began_ns) / len(self.calls)

    def queue(self) -> Callable[[], float]:
        span_ns = self.span_ns()
        return lambda: span_ns


class Clock(cpu.Clock):
    def captured(self, calls: Sequence[Callable[[], Any]]) -> Replay:
        return Replay(calls)


cpu.METHOD, cpu.METHODS = SINGLE, CUDA_TIMERS
cpu.timer = lambda name: Clock()

lockstep.serve(controls.opened(Path(sys.argv[1])))
