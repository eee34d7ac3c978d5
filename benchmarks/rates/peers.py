"""
What is in use today, as each decides one case: log times of one launch of both arms, and a number stored another day.

`head`, `base`: [cases, samples]; `stored`: the same shape, of base, in another process on another day.
"""

from collections.abc import Callable, Mapping

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
    """nvbench_compare: means further apart than the smaller of the two relative standard deviations."""
    new, old = np.exp(head), np.exp(base)
    noise = np.minimum(new.std(axis=-1, ddof=1) / new.mean(axis=-1), old.std(axis=-1, ddof=1) / old.mean(axis=-1))
    return new.mean(axis=-1) / old.mean(axis=-1) - 1 > noise


PEERS: Mapping[str, Callable[[Array, Array, Array], Flags]] = {
    "±5 % of a stored median": median_against_stored,
    "do_bench medians, 5 %": medians_live,
    "Mann–Whitney, p < 0.05": mann_whitney,
    "pytest-benchmark mean:5%": mean_against_stored,
    "github-action-benchmark 200 %": twice_stored,
    "nvbench_compare": nvbench,
}
