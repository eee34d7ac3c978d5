"""
What is in use today, as each decides one case: log times of one launch of both arms, and a number stored another day.

`head`, `base`: [cases, samples]; `stored`: the same shape, of base, in another process on another day.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.stats

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
FIVE = float(np.log(1.05))


def median_against_stored(head: Array, base: Array, stored: Array) -> Flags:
    """The median more than 5 % above a stored one."""
    return np.median(head, axis=-1) - np.median(stored, axis=-1) > FIVE


def medians_live(head: Array, base: Array, stored: Array) -> Flags:
    """Two medians of one process each, as two calls of triton.testing.do_bench give them, 5 % apart."""
    return np.median(head, axis=-1) - np.median(base, axis=-1) > FIVE


def mean_against_stored(head: Array, base: Array, stored: Array) -> Flags:
    """pytest-benchmark, --benchmark-compare-fail=mean:5%."""
    return np.log(np.exp(head).mean(axis=-1) / np.exp(stored).mean(axis=-1)) > FIVE


def twice_stored(head: Array, base: Array, stored: Array) -> Flags:
    """github-action-benchmark with its default alert-threshold of 200 %."""
    return np.median(head, axis=-1) - np.median(stored, axis=-1) > np.log(2)


def mann_whitney(head: Array, base: Array, stored: Array) -> Flags:
    """Two-sided p < 0.05 over the samples of one process each, and head the slower (benchstat, Google Benchmark)."""
    p = scipy.stats.mannwhitneyu(head, base, axis=-1, method="asymptotic").pvalue
    return (p < 0.05) & (np.median(head, axis=-1) > np.median(base, axis=-1))


def nvbench(head: Array, base: Array, stored: Array) -> Flags:
    """
    nvbench_compare, its legacy rule, whose exit code can stop a job: means further apart than the smaller of the two
    relative standard deviations.
    """
    new, old = np.exp(head), np.exp(base)
    noise = np.minimum(new.std(axis=-1, ddof=1) / new.mean(axis=-1), old.std(axis=-1, ddof=1) / old.mean(axis=-1))
    return new.mean(axis=-1) / old.mean(axis=-1) - 1 > noise


def tilelang_bot(head: Array, base: Array, stored: Array) -> Flags:
    """TileLang's perf bot, since September 2026: base's mean over head's below 0.90."""
    return np.exp(base).mean(axis=-1) / np.exp(head).mean(axis=-1) < 0.90


def tilegym(head: Array, base: Array, stored: Array) -> Flags:
    """TileGym's check_benchmark_regression.py: throughput more than 5 % below that of the last run of main."""
    return np.median(stored, axis=-1) - np.median(head, axis=-1) < np.log(0.95)


@dataclass(frozen=True, kw_only=True)
class Peer:
    """`needs`: cases that have to be flagged before a run is blocked."""

    rule: Callable[[Array, Array, Array], Flags]
    needs: int = 1

    def blocked(self, flags: Flags) -> Flags:
        """[runs], of flags [runs, cases]."""
        return flags.sum(axis=-1) >= self.needs

    def blocked_for(self, slowed: Flags, clean: Flags) -> Flags:
        """
        [runs, cases]: whether a run is blocked in which one case is slowed and the others are clean, and that case is
        among those flagged. `slowed`: flags of each case, were it the slowed one.
        """
        others = clean.sum(axis=-1, keepdims=True) - clean
        return slowed & (others >= self.needs - 1)


PEERS: Mapping[str, Peer] = {
    "±5 % of a stored median": Peer(rule=median_against_stored),
    "TileLang's bot, two below 0.90×": Peer(rule=tilelang_bot, needs=2),
    "TileGym, −5 % throughput": Peer(rule=tilegym),
    "do_bench medians, 5 %": Peer(rule=medians_live),
    "Mann–Whitney, p < 0.05": Peer(rule=mann_whitney),
    "nvbench_compare": Peer(rule=nvbench),
    "pytest-benchmark mean:5%": Peer(rule=mean_against_stored),
    "github-action-benchmark 200 %": Peer(rule=twice_stored),
}
