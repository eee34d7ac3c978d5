"""Kernels shared out over runners by predicted time: the longest first, each to whoever has least to do so far."""

from collections.abc import Mapping, Sequence
from statistics import mean

from kgate.planning.choice import Choice

UNKNOWN_MINUTES = 1.0  # where no cost of any kernel is known


def shared(choices: Sequence[Choice], shards: int) -> Mapping[str, int]:
    """
    The shard of each kernel, from 1. Kernels stay whole: their mean and their drills are over all workloads. What is
    carried is shared out as well, by itself, since a runner whose GPU is another has to measure it after all.
    """
    found: dict[str, int] = {}
    for group in ([c for c in choices if c.measured], [c for c in choices if not c.measured]):
        load = [0.0] * shards
        expected = weights(group)
        for name in sorted(expected, key=lambda name: (-expected[name], name)):
            least = min(range(shards), key=lambda shard: (load[shard], shard))
            load[least] += expected[name]
            found[name] = least + 1
    return found


def weights(choices: Sequence[Choice]) -> Mapping[str, float]:
    """Minutes by kernel; where they are not known, the mean of the others for each of its cases."""
    known = [c.minutes / len(c.cases) for c in choices if c.minutes is not None and c.cases]
    each = mean(known) if known else UNKNOWN_MINUTES
    return {c.kernel: each * len(c.cases) if c.minutes is None else c.minutes for c in choices}
