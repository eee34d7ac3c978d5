"""
What measured values vary by, level within level: days, builds within a day, processes forked from, single launches.

Sums of squares of the nested levels are set equal to what is expected of them (Henderson's first method), which needs
no equal numbers: Searle, Casella and McCulloch, Variance Components (1992), 5.3.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kgate.stats import f_upper

SINGLE = "launch"  # the innermost level: what values of one group still differ by


@dataclass(frozen=True, kw_only=True)
class Component:
    """
    `variance`: what groups of this level differ by, beyond what the levels within them do; never below 0, and None
    where the values cannot tell it from another level. `p`: of a difference like this where there is none.
    """

    level: str
    groups: int
    variance: float | None
    p: float | None = None


def components(values: Sequence[float], levels: Mapping[str, Sequence[Hashable]]) -> tuple[Component, ...]:
    """
    `levels`: from the outermost in, the group of each value; a group's name must hold those of the groups around it.
    """
    y = np.asarray(values, float)
    whole: list[Hashable] = [0] * len(y)
    singles: list[Hashable] = list(range(len(y)))
    named = [*((name, list(groups)) for name, groups in levels.items()), (SINGLE, singles)]
    apart = [(SINGLE, singles)]  # innermost first: a level that is no finer than the one around it tells nothing
    for name, groups in reversed(named[:-1]):
        if 1 < len(set(groups)) < len(set(apart[-1][1])):
            apart.append((name, groups))
    nested = [("", whole), *reversed(apart)]
    squares, expected = equations(y, [groups for _, groups in nested])
    found = solved(squares, expected)
    freedom = [len(set(b)) - len(set(a)) for (_, a), (_, b) in pairwise(nested)]
    means = [s / d if d else float("nan") for s, d in zip(squares, freedom, strict=True)]
    told = {}
    for index, (name, groups) in enumerate(nested[1:]):
        p = differs(means, freedom, index) if name != SINGLE else None
        told[name] = Component(level=name, groups=len(set(groups)), variance=max(0.0, found[index]), p=p)
    return tuple(
        told.get(name) or Component(level=name, groups=len(set(groups)), variance=None) for name, groups in named
    )


def equations(y: np.ndarray, nested: Sequence[Sequence[Hashable]]) -> tuple[list[float], np.ndarray]:
    """Each level's sum of squares within the level around it, and what a unit of each variance adds to it."""
    between = [squares_between(y, groups) for groups in nested]
    weights = np.array([[weight(outer, inner) for inner in nested[1:]] for outer in nested])
    return [b - a for a, b in pairwise(between)], np.diff(weights, axis=0)


def squares_between(y: np.ndarray, groups: Sequence[Hashable]) -> float:
    """Of group means around nothing: sum over groups of (sum of values)² / number."""
    sums: dict[Hashable, float] = {}
    for value, group in zip(y - y.mean(), groups, strict=True):
        sums[group] = sums.get(group, 0.0) + float(value)
    sizes = Counter(groups)
    return sum(total**2 / sizes[group] for group, total in sums.items())


def weight(outer: Sequence[Hashable], inner: Sequence[Hashable]) -> float:
    """How often a unit of the inner groups' variance is in the outer groups' squares."""
    sizes = Counter(outer)
    return sum(n**2 / sizes[group] for (group, _), n in Counter(zip(outer, inner, strict=True)).items())


def solved(squares: Sequence[float], expected: np.ndarray) -> list[float]:
    """From the innermost out; an estimate below 0 stays so for those around it, or theirs would be too low."""
    found = [0.0] * len(squares)
    for k in reversed(range(len(squares))):
        rest = sum(expected[k, j] * found[j] for j in range(k + 1, len(squares)))
        found[k] = float((squares[k] - rest) / expected[k, k]) if expected[k, k] > 0 else 0.0
    return found


def differs(means: Sequence[float], freedom: Sequence[int], index: int) -> float | None:
    """p of the F test of a level's mean square over that of the level within it."""
    below = freedom[index + 1] // 2 * 2  # `f_upper` wants an even number; one less is the careful side
    if not freedom[index] or below < 2 or not means[index + 1] > 0:
        return None
    return float(f_upper(means[index] / means[index + 1], freedom[index], below))
