"""Counts in words."""

import numpy as np
import numpy.typing as npt

from kgate.replay import Rate

__all__ = ["Rate", "at_least", "rate", "share"]


def rate(flags: npt.NDArray[np.bool_]) -> Rate:
    return Rate(hits=int(flags.sum()), of=flags.size)


def share(flags: npt.NDArray[np.bool_]) -> str:
    """Of cases; n is the same in a column of one part."""
    return f"{100 * flags.mean():.2f} %"


def at_least(counted: Rate) -> str:
    """With the lower bound, one-sided 95 %: what the misses bound from above."""
    least = 1 - Rate(hits=counted.of - counted.hits, of=counted.of).bound
    return f"{counted.hits} of {counted.of} (≥ {100 * least:.3g} %)"
