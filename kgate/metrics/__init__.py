"""
One file per number, each a fold over chunks of (value, expected, allowed error). No metric sees a policy.

To add one: a module here that keeps the contract of `MetricModule`, and its line in the table.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kgate.chunks import Chunk
from kgate.metrics import cosine, extent, max_abs, max_rel, mismatch, psnr, relative_l2, rmse, row_error, ulp, worst
from kgate.model import Metric


class MetricModule(Protocol):
    """
    What a metric's file offers. A state is a plain value; `add` returns the next one and changes nothing.

    Chunks come in C order, and how the output was cut must not show in the result beyond the rounding of sums (not at
    all, where there are none). `finish` gives None if no chunk came or the number means nothing for the dtype. A value
    that disagrees with the reference about NaN or an infinity makes a metric as bad as it can be.
    """

    NAME: str

    def start(self) -> Any: ...

    def add(self, state: Any, chunk: Chunk) -> Any: ...

    def finish(self, state: Any) -> Metric | None: ...


METRICS: Mapping[str, MetricModule] = {
    module.NAME: module
    for module in (max_abs, max_rel, ulp, rmse, relative_l2, psnr, cosine, mismatch, extent, row_error, worst)
}


def measured(pieces: Iterable[Chunk]) -> dict[str, Metric]:
    """Every metric that has something to say, by name, in one pass."""
    states = {name: module.start() for name, module in METRICS.items()}
    for chunk in pieces:
        states = {name: METRICS[name].add(state, chunk) for name, state in states.items()}
    found = {name: METRICS[name].finish(state) for name, state in states.items()}
    return {name: metric for name, metric in found.items() if metric is not None}
