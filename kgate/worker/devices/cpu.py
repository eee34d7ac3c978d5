"""
The CPU: a monotonic clock around the call.

No cache is evicted before a sample. Every sample's inputs have just been written anew, in the same order in every arm,
which sets the caches alike; a pass over twice the last-level cache would cost far more than most calls.
"""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from kgate.worker.devices import Launched, Queued, Sample, Traits
from kgate.worker.faults import Fault

METHOD = "cpu-monotonic"
METHODS: tuple[str, ...] = (METHOD,)
THREADING = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY")


def available(name: str) -> str:
    import_module("torch")
    return ""


def select(name: str) -> None:
    return


def traits(name: str) -> Traits:
    import torch

    settings = [f"{variable}={os.environ[variable]}" for variable in THREADING if variable in os.environ]
    return Traits(
        must_match={
            "device": "cpu",
            "cpu": model(),
            "cores": str(len(os.sched_getaffinity(0))),
            "threads": str(torch.get_num_threads()),
            "threading": " ".join(settings),
            "instructions": torch.backends.cpu.get_cpu_capability(),
        },
    )


def model() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return platform.machine()


def synchronize(name: str) -> None:
    return


def held_bytes(name: str) -> int | None:
    return None


def peak_bytes(name: str) -> int | None:
    return None


def forget_peak(name: str) -> None:
    return


def give_back(name: str, everything: bool = False) -> None:
    return


def kernels(name: str, call: Callable[[], Any]) -> Launched | None:
    return None


def peaks(name: str) -> dict[str, float]:
    return {}


def spin(name: str) -> dict[str, float]:
    return {}


class Clock:
    def sample(self, calls: Sequence[Callable[[], Any]]) -> Sample:
        began_ns = time.perf_counter_ns()
        for call in calls:
            returned = call()
        span_ns = (time.perf_counter_ns() - began_ns) / len(calls)
        return Sample(span_ns=span_ns, call_ns=span_ns, returned=returned)

    def queue(self, calls: Sequence[Callable[[], Any]]) -> Queued:
        taken = self.sample(calls)
        return Queued(returned=taken.returned, sample=lambda: replace(taken, returned=None))

    def settle(self) -> None:
        return

    def captured(self, calls: Sequence[Callable[[], Any]]) -> NoReturn:
        raise Fault("latency", "unavailable", "a CPU has no graphs of calls")

    def notes(self) -> dict[str, str | int | float]:
        return {}


def timer(name: str) -> Clock:
    return Clock()
