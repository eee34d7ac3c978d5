"""
Recorded launches drawn anew: what runs of a hundred cases would have seen, had they been taken on a recorded start.

All cases of a run come from one start, so that whatever that start had about it is in the run; a case is one of its
kernels, and its launches are drawn with replacement, each case's by itself. In clean runs the arms of a case are
swapped at random, for the whole run: a lasting difference between arms of one code is a slowdown half the time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kgate.throttling import NO_MEASURE

from .recordings import BASE, GATE, HEAD, SLOWED, Start, Taken

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Launches:
    """Log times of two arms, [launches, samples]; `logs`: each launch's number. As many samples in every pool."""

    above: Floats
    below: Floats
    logs: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.logs)


@dataclass(frozen=True, kw_only=True)
class Pool:
    """One kernel in one start. `slowed`: by way. `seconds`: of a launch, with its share of starting processes."""

    start: str
    kernel: str
    clean: Launches
    slowed: Mapping[str, Launches]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Of cases: the pool and the launches drawn, [..., launches], and whether the arms are swapped."""

    pools: Ints
    launches: Ints
    swapped: npt.NDArray[np.bool_]


def pools(starts: Sequence[Start]) -> list[Pool]:
    """Kernels of all starts that have launches; those with clocks lowered in need are left out, as in a run."""
    found = []
    for start in starts:
        for name in start.heading.kernels:
            taken = [r.kernels[name] for r in start.launches if name in r.kernels]
            valid = [t for t in taken if not lowered(t) and {HEAD, BASE} <= t.ns.keys()]
            if valid:
                ways = dict.fromkeys(t.way for t in valid if t.way)
                slowed = {way: launches([t for t in valid if t.way == way], SLOWED) for way in ways}
                found.append(
                    Pool(
                        start=start.heading.start,
                        kernel=name,
                        clean=launches(valid, HEAD),
                        slowed=slowed,
                        seconds=seconds(start),
                    )
                )
    return found


def lowered(taken: Taken) -> bool:
    """As kgate.throttling has it: by what the driver told the gate, else by the word of both arms."""
    told = (GATE,) if GATE in taken.throttle else (HEAD, BASE)
    return any(all(reason in taken.throttle.get(name, "") for name in told) for reason in NO_MEASURE)


def launches(taken: Sequence[Taken], arm: str) -> Launches:
    """The numbers are of all pairs; samples are cut to the fewest that a launch has, for rules that look at them."""
    both = [[np.log(np.asarray(t.ns[a], float)) for a in (arm, BASE)] for t in taken]
    fewest = min(len(ns) for pair in both for ns in pair)
    above, below = (np.array([pair[side][:fewest] for pair in both], np.float32) for side in (0, 1))
    return Launches(above=above, below=below, logs=np.array([np.median(a - b) for a, b in both]))


def seconds(start: Start) -> float:
    """A kernel's share of a launch, three arms; median over launches."""
    return float(np.median([r.took / max(1, len(r.kernels)) for r in start.launches]))


class Replay:
    """Draws from pools of several starts."""

    def __init__(self, all_pools: Sequence[Pool], samples: int = 40) -> None:
        self.pools = list(all_pools)
        self.samples = min(samples, *(p.clean.above.shape[1] for p in self.pools))
        self.starts = list(dict.fromkeys(p.start for p in self.pools))
        self.of_start = [np.array([i for i, p in enumerate(self.pools) if p.start == s]) for s in self.starts]
        self.elsewhere = [self.others(p) for p in self.pools]

    def others(self, pool: Pool) -> Ints:
        """Pools of the same kernel on other starts; with one start only, the pool itself."""
        found = [i for i, p in enumerate(self.pools) if p.kernel == pool.kernel and p.start != pool.start]
        return np.array(found or [self.pools.index(pool)])

    def draw(self, generator: np.random.Generator, runs: int, cases: int, number: int) -> Drawn:
        """`number` launches for each of `cases` cases of `runs` runs: [runs, cases, number]."""
        chosen = np.empty((runs, cases), np.int64)
        for run, start in enumerate(generator.integers(0, len(self.starts), runs)):
            chosen[run] = generator.choice(self.of_start[start], cases)
        drawn = self.again(generator, chosen, number)
        return replace(drawn, swapped=generator.random((runs, cases)) < 0.5)

    def logs(self, drawn: Drawn) -> npt.NDArray[np.float64]:
        """Clean: [..., launches]."""
        table = padded([p.clean.logs for p in self.pools])
        signs = np.where(drawn.swapped, -1.0, 1.0)
        return table[drawn.pools[..., None], drawn.launches] * signs[..., None]

    def times(self, drawn: Drawn) -> tuple[Floats, Floats]:
        """Of head and base in the first launch drawn: [..., samples], for rules that see one launch only."""
        above, below = (self.gathered(side, drawn.pools, drawn.launches[..., 0]) for side in ("above", "below"))
        swapped = drawn.swapped[..., None]
        return np.where(swapped, below, above), np.where(swapped, above, below)

    def moved(self, generator: np.random.Generator, chosen: Ints) -> Ints:
        """The same kernels' pools on another start."""
        out = np.empty_like(chosen)
        for index in np.unique(chosen):
            these = chosen == index
            out[these] = generator.choice(self.elsewhere[index], int(these.sum()))
        return out

    def again(self, generator: np.random.Generator, chosen: Ints, number: int) -> Drawn:
        """`number` launches of each of these pools; arms as they are."""
        sizes = np.array([len(p.clean) for p in self.pools])[chosen]
        picked = (generator.random((*chosen.shape, number)) * sizes[..., None]).astype(np.int64)
        return Drawn(pools=chosen, launches=picked, swapped=np.zeros(chosen.shape, bool))

    def stored(self, generator: np.random.Generator, chosen: Ints) -> Floats:
        """Base's times of a launch on another start: what a number stored by an earlier run would have been."""
        drawn = self.again(generator, self.moved(generator, chosen), 1)
        return self.gathered("below", drawn.pools, drawn.launches[..., 0])

    def gathered(self, side: str, chosen: Ints, picked: Ints) -> Floats:
        out = np.empty((*chosen.shape, self.samples), np.float32)
        for index in np.unique(chosen):
            these = chosen == index
            out[these] = getattr(self.pools[index].clean, side)[picked[these], : self.samples]
        return out


def padded(rows: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """[rows, longest]; what is behind a shorter row is never drawn."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
