"""Whether the custom path was shown to be faster than its fallback: by the last run, else by the stored baseline."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kgate.figures import change, interval
from kgate.margins import MARGINS
from kgate.model import FALLBACK, HEAD, Baseline, Kernel


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Time of the custom path over the fallback's, the mean over workloads by weight. `high` is the upper end of its
    95 % interval, None where none is known; `source` says where it is from, and `on_gpu` on what it was measured.
    """

    ratio: float
    low: float | None
    high: float | None
    source: str
    on_gpu: bool

    @property
    def faster(self) -> bool:
        """Shown: the whole interval is below 1; without one, more than the margin below which a slowdown is none."""
        return self.high < 1 if self.high is not None else self.ratio * MARGINS.slower_above < 1

    @property
    def text(self) -> str:
        inside = "" if self.low is None or self.high is None else f" (95 %: {interval(self.low, self.high)})"
        return f"{change(self.ratio)}{inside} against the fallback, {self.source}"


def of_report(body: Mapping[str, Any], kernel: str) -> Pace | None:
    """The kernel's own ratio, or that of its one timed case; of several cases without one the mean, unbounded."""
    source, on_gpu = f"measured {body['started'][:10]} on {body['device']}", bool(body["on_gpu"])
    whole = [r for k in body["kernels"] if k["name"] == kernel for r in against_fallback(k["ratios"])]
    cases = [
        (r, weight_of(body, kernel, case["workload"]))
        for case in body["cases"]
        if case["kernel"] == kernel and case["latency"]
        for r in against_fallback(case["latency"]["ratios"])
    ]
    for ratio in (*whole, *(r for r, _ in cases if len(cases) == 1)):
        bounded = ratio["launches"] > 1
        low, high = (ratio["low"], ratio["high"]) if bounded else (None, None)
        return Pace(ratio=ratio["median"], low=low, high=high, source=source, on_gpu=on_gpu)
    mean = mean_of((r["median"], weight) for r, weight in cases)
    return Pace(ratio=mean, low=None, high=None, source=source, on_gpu=on_gpu) if mean else None


def against_fallback(ratios: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [r for r in ratios if (r["above"], r["below"]) == (HEAD.name, FALLBACK.name) and r["launches"]]


def weight_of(body: Mapping[str, Any], kernel: str, workload: str) -> float:
    workloads = (w for k in body["kernels"] if k["name"] == kernel for w in k["workloads"])
    return next((float(w["weight"]) for w in workloads if w["name"] == workload), 1.0)


def of_baseline(stored: Baseline, kernel: Kernel) -> Pace | None:
    pairs = []
    for workload in kernel.workloads:
        case = stored.cases.get(f"{kernel.name}/{workload.name}")
        if case and case.fallback_ns:
            pairs.append((case.custom_ns / case.fallback_ns, workload.weight))
    mean = mean_of(pairs)
    source = f"baseline of {stored.device}, {stored.date}"
    return Pace(ratio=mean, low=None, high=None, source=source, on_gpu=stored.device != "cpu") if mean else None


def mean_of(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Geometric, by weight."""
    known = [(ratio, weight) for ratio, weight in pairs if ratio > 0 and weight > 0]
    total = sum(weight for _, weight in known)
    return math.exp(sum(weight * math.log(ratio) for ratio, weight in known) / total) if total else None
