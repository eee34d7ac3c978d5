"""Tables of what every rule says of recorded launches, as runs that were never taken would have seen them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from tabulate import tabulate

from kgate.margins import MARGINS

from .counted import Rate, at_least, rate, share
from .gate import CONFIRMING, LOOKS, NO_SLOWER, SLOWER, Judged, history, judged
from .peers import PEERS, Peer
from .recordings import Start
from .replay import Launches, Pool, Replay, pools
from .reruns import Attempts, attempts

CASES = 100
TESTS = 2 * CASES
HISTORY = 40
CHUNK = 250  # runs
DOSES = (0.02, 0.03, 0.05, 0.07, 0.10)
BLOCKED, PASSED = 0.99, 0.01  # what is promised of a slowdown of 5 % and more
FIVE = 0.05  # what is recorded with this dose or more counts as a slowdown of 5 %
ALONE = LOOKS[0] + CONFIRMING  # launches of a case-run that nothing is drawn twice for
FIRST = [MARGINS.error_rate / len(LOOKS)]  # what the first look of three spends
Flags = npt.NDArray[np.bool_]
HEADERS = (
    "rule",
    "clean runs blocked",
    *(f"+{100 * dose:g} % (scaled)" for dose in DOSES),
    "recorded, 5 % or more",
    "of it passed",
    "open",
    "launches clean, slowed",
    "GPU s",
)


@dataclass(frozen=True, kw_only=True)
class Dosed:
    """Recorded launches of one kernel made slower in one way, of all starts; `dose`: exp of their median, less 1."""

    kernel: str
    way: str
    parts: Sequence[tuple[int, Launches]]  # by pool

    @cached_property
    def dose(self) -> float:
        return float(np.expm1(np.median(np.concatenate([part.logs for _, part in self.parts]))))


class Replayed:
    """`runs`: clean runs of a hundred cases for kgate's rule; `samples`: those of which the other rules see samples."""

    def __init__(self, starts: Sequence[Start], generator: np.random.Generator, runs: int, samples: int) -> None:
        self.starts = [s for s in starts if s.launches]
        self.generator = generator
        self.runs, self.samples = runs, samples
        self.pools: list[Pool] = pools(self.starts)
        self.replay = Replay(self.pools)
        self.broken: list[str] = []

    @cached_property
    def dosed(self) -> list[Dosed]:
        names = dict.fromkeys((p.kernel, way) for p in self.pools for way in p.slowed)
        return [
            Dosed(
                kernel=kernel,
                way=way,
                parts=[(i, p.slowed[way]) for i, p in enumerate(self.pools) if p.kernel == kernel and way in p.slowed],
            )
            for kernel, way in names
        ]

    @property
    def wanted(self) -> list[Dosed]:
        return [d for d in self.dosed if d.dose >= FIVE]

    def failed(self) -> list[str]:
        """Which promises of docs/latency.md do not hold in replay, in words; after `text`."""
        return [f"replay: {words}" for words in self.broken]

    def text(self) -> str:
        launches = sum(len(p.clean) for p in self.pools)
        names = dict.fromkeys(p.kernel for p in self.pools)
        return (
            f"Replay of {launches} recorded launches of {len(names)} kernels on {len(self.starts)} starts "
            f"({', '.join(s.heading.start for s in self.starts)}); {self.runs} runs of {CASES} cases for kgate, "
            f"{self.samples} for the others.\n{self.rules()}\n\n"
            f"By kernel and way, kgate's rule, nothing stored:\n{self.by_way()}\n\n"
            f"Nothing drawn twice, one look at {LOOKS[0]} launches, {CONFIRMING} to confirm:\n{self.independent()}\n\n"
            f"Tried again, kgate: {self.tried_again()}"
        )

    def tried_again(self) -> Attempts:
        def draw(shape: tuple[int, int, int]) -> npt.NDArray[np.float64]:
            return self.replay.logs(self.replay.draw(self.generator, *shape))

        found = attempts(draw, max(1, self.runs // 20))
        self.broken += found.broken()
        return found

    def rules(self) -> str:
        rows = [self.ours("kgate, nothing stored", stored=False), self.ours("kgate, 40 launches stored", stored=True)]
        return tabulate([*rows, *self.theirs()], headers=HEADERS, disable_numparse=True)

    # kgate

    def ours(self, name: str, *, stored: bool) -> list[str]:
        clean, launches = self.clean(stored)
        scaled = {dose: self.scaled(dose, stored) for dose in DOSES}
        slowed = self.slowed(self.wanted, stored)
        used = np.array([j.launches.mean() for j in slowed]).mean() if slowed else np.nan
        decisions = np.concatenate([j.decision.ravel() for j in slowed]) if slowed else np.zeros(0, np.int8)
        seconds = float(np.mean([p.seconds for p in self.pools]))
        self.hold(name, clean, decisions)
        return [
            name,
            str(clean),
            *(share(found.decision == SLOWER) for found in scaled.values()),
            *verdicts(decisions),
            f"{launches:.1f}, {used:.1f}",
            f"{launches * seconds:.1f}, {used * seconds:.1f}",
        ]

    def hold(self, name: str, clean: Rate, decisions: npt.NDArray[np.int8]) -> None:
        blocked, passed = (rate(decisions == code) for code in (SLOWER, NO_SLOWER))
        if clean.hits:
            self.broken.append(f"{name}: clean runs blocked {clean}")
        if blocked.of and blocked.hits < BLOCKED * blocked.of:
            self.broken.append(f"{name}: of what was slowed by 5 % or more, blocked {at_least(blocked)}")
        if passed.hits > PASSED * passed.of:
            self.broken.append(f"{name}: of what was slowed by 5 % or more, passed {passed}")

    def clean(self, stored: bool) -> tuple[Rate, float]:
        """Runs blocked, and launches of a case."""
        blocked, launches = 0, []
        for first in range(0, self.runs, CHUNK):
            found = self.judged(min(CHUNK, self.runs - first), CASES, 0.0, stored)
            blocked += int((found.decision == SLOWER).any(axis=1).sum())
            launches.append(found.launches.mean())
        return Rate(hits=blocked, of=self.runs), float(np.mean(launches))

    def scaled(self, dose: float, stored: bool) -> Judged:
        return self.judged(self.runs, 1, dose, stored)

    def judged(self, runs: int, cases: int, dose: float, stored: bool) -> Judged:
        drawn = self.replay.draw(self.generator, runs, cases, max(LOOKS) + len(LOOKS) * CONFIRMING)
        logs = self.replay.logs(drawn) + np.log1p(dose)
        prior = None
        if stored:
            elsewhere = self.replay.moved(self.generator, drawn.pools)
            prior = history(self.replay.logs(self.replay.again(self.generator, elsewhere, HISTORY)))
        return decided(logs, prior)

    def slowed(self, wanted: Sequence[Dosed], stored: bool) -> list[Judged]:
        """As many cases of each, each in a run of its own."""
        each = max(1, self.runs // max(1, len(wanted)))
        return [self.slowed_once(d, each, stored) for d in wanted]

    def slowed_once(self, dosed: Dosed, runs: int, stored: bool) -> Judged:
        chosen = self.generator.integers(0, len(dosed.parts), runs)
        number = max(LOOKS) + len(LOOKS) * CONFIRMING
        logs = np.empty((runs, 1, number))
        indices = np.empty((runs, 1), np.int64)
        for part, (index, launches) in enumerate(dosed.parts):
            these = np.flatnonzero(chosen == part)
            logs[these, 0] = launches.logs[self.generator.integers(0, len(launches), (len(these), number))]
            indices[these, 0] = index
        prior = None
        if stored:
            elsewhere = self.replay.moved(self.generator, indices)
            prior = history(self.replay.logs(self.replay.again(self.generator, elsewhere, HISTORY)))
        return decided(logs, prior)

    # The others

    def theirs(self) -> Iterator[list[str]]:
        drawn = self.replay.draw(self.generator, self.samples, CASES, 1)
        head, base = self.replay.times(drawn)
        stored = self.replay.stored(self.generator, drawn.pools)
        slowed = [self.slowed_samples(d) for d in self.wanted]
        seconds = float(np.mean([p.seconds for p in self.pools]))
        for name, peer in PEERS.items():
            clean = peer.rule(head, base, stored)
            blocked = [peer.blocked_for(peer.rule(head + np.float32(np.log1p(d)), base, stored), clean) for d in DOSES]
            found = [flagged(peer, times, clean) for times in slowed]
            decisions = np.where(np.concatenate(found), SLOWER, NO_SLOWER) if found else np.zeros(0, np.int8)
            yield [
                name,
                str(rate(peer.blocked(clean))),
                *map(share, blocked),
                *verdicts(decisions),
                "1, 1",
                f"{seconds:.1f}, {seconds:.1f}",
            ]

    def slowed_samples(self, dosed: Dosed) -> tuple[npt.NDArray[np.float32], ...]:
        """Of every launch recorded: the slowed arm, base, and a number stored on another start."""
        size = self.replay.samples
        above = np.concatenate([part.above[:, :size] for _, part in dosed.parts])
        below = np.concatenate([part.below[:, :size] for _, part in dosed.parts])
        indices = np.concatenate([np.full(len(part), index) for index, part in dosed.parts])
        return above, below, self.replay.stored(self.generator, indices)

    # What stands behind it

    def by_way(self) -> str:
        rows = []
        for kernel in dict.fromkeys(p.kernel for p in self.pools):
            mine = [p for p in self.pools if p.kernel == kernel]
            logs = np.concatenate([p.clean.logs for p in mine])
            spread = 1.4826 * float(np.median(np.abs(logs - np.median(logs))))
            largest = float(np.abs(logs).max())
            rows.append([kernel, "clean", "", f"{len(logs)}", f"{100 * spread:.2f}, {100 * largest:.1f}", "", "", ""])
            for dosed in (d for d in self.dosed if d.kernel == kernel):
                found = self.slowed_once(dosed, max(100, self.runs // 20), stored=False).decision.ravel()
                launches = sum(len(part) for _, part in dosed.parts)
                rows.append(["", dosed.way, f"{100 * dosed.dose:+.2f} %", str(launches), "", *verdicts(found)])
        headers = ("kernel", "arm", "dose", "launches", "spread, largest %", "blocked", "passed", "open")
        return tabulate(rows, headers=headers, disable_numparse=True)

    def independent(self) -> str:
        """Each recorded launch in one case-run at most: few, but nothing is drawn."""
        clean = disjoint([p.clean for p in self.pools])
        slowed = disjoint([part for d in self.wanted for _, part in d.parts])
        rows = []
        for name, logs in (("clean", clean), ("slowed by 5 % or more, as recorded", slowed)):
            found = judged(
                logs[:, None, : LOOKS[0]], logs[:, None, None, LOOKS[0] :], TESTS, looks=LOOKS[:1], errors=FIRST
            )
            blocked, passed = (rate(found.decision == code) for code in (SLOWER, NO_SLOWER))
            rows.append([name, str(len(self.starts)), str(blocked), at_least(blocked), str(passed)])
        headers = ("case-runs", "starts", "blocked, at most", "blocked, at least", "passed")
        return tabulate(rows, headers=headers, disable_numparse=True)


def decided(logs: npt.NDArray[np.float64], prior: object) -> Judged:
    main, fresh = logs[..., : max(LOOKS)], logs[..., max(LOOKS) :]
    return judged(main, fresh.reshape(*logs.shape[:-1], len(LOOKS), CONFIRMING), TESTS, prior)  # type: ignore[arg-type]


def flagged(peer: Peer, times: Sequence[npt.NDArray[np.float32]], clean: Flags) -> Flags:
    """Each slowed launch among the cases of a clean run, the runs in turn."""
    flags = peer.rule(*times)
    others = clean[np.arange(len(flags)) % len(clean), 1:].sum(axis=-1)
    return flags & (others >= peer.needs - 1)


def disjoint(pieces: Sequence[Launches]) -> npt.NDArray[np.float64]:
    """[case-runs, ALONE]"""
    whole = [piece.logs[: len(piece) // ALONE * ALONE].reshape(-1, ALONE) for piece in pieces]
    return np.concatenate([np.zeros((0, ALONE)), *whole])


def verdicts(decisions: npt.NDArray[np.int8]) -> list[str]:
    """Blocked, passed, open; a dash for nothing recorded."""
    if not decisions.size:
        return ["–", "–", "–"]
    return [share(decisions == SLOWER), str(rate(decisions == NO_SLOWER)), share(decisions == 0)]
