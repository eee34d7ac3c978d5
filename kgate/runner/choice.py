"""
How a case is timed: by which method, with how many calls a sample. Chosen once, by base's time in the first launch, and
the same for every arm and every launch, since times of two methods are never compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgate import protocol
from kgate.model import LaunchTiming
from kgate.protocol import BATCH, GRAPH, SINGLE, Ready

# For calls shorter than SHORT_NS, the methods in the order in which they are tried; the last can always be had. Single
# calls behind a flush differ between launches by 0.9 % at 52 µs and by 2 % at 7 µs, where a process keeps an offset of
# its own for its whole life, and host jitter was seen to leak at 27 µs; many calls on inputs of their own average over
# places in memory, and in a graph no host comes between them (0.1 % at 2.2 µs, 0.5 % at 4.5 µs).
LADDERS: Mapping[str, tuple[str, ...]] = {SINGLE: (GRAPH, BATCH, SINGLE)}
SHORT_NS = 100_000
SAMPLE_NS = 300_000  # what a sample's calls come to, by an estimate that is too long for very short calls
LEAST_CALLS, MOST_CALLS = 8, 64  # a sample
ROOM_BYTES = 2 << 30  # for the inputs and outputs of a sample's calls, an arm


@dataclass(frozen=True, kw_only=True)
class Choice:
    """`method` "": the only one that the device has. `calls` is of a sample; 0 leaves them to the schedule."""

    method: str = ""
    calls: int = 0

    @property
    def rotated(self) -> bool:
        """Whether each call of a sample has inputs of its own."""
        return self.method in (GRAPH, BATCH)


def chosen(method: str, ready: Ready, room_bytes: int, stateful: bool) -> Choice:
    """
    For a case whose first arm is `ready`, on a device whose method for long calls is `method`. `stateful`: an arm has
    state that is made once or reset before a sample, which calls in a row would share.
    """
    if method not in LADDERS or ready.estimate_ns >= SHORT_NS or stateful:
        return Choice(method=method)
    calls = min(MOST_CALLS, max(LEAST_CALLS, math.ceil(SAMPLE_NS / max(1, ready.estimate_ns))))
    fits = min(room_bytes, ROOM_BYTES) // max(1, ready.input_bytes + ready.output_bytes)
    if min(calls, fits) < LEAST_CALLS:
        return Choice(method=method)
    return Choice(method=LADDERS[method][0], calls=min(calls, fits))


def ladder(choice: Choice, method: str) -> tuple[Choice, ...]:
    """What to try in turn, `choice` first; `method` is the device's for long calls."""
    rungs = LADDERS.get(method, ())
    rest = rungs[rungs.index(choice.method) + 1 :] if choice.method in rungs else ()
    return (choice, *(Choice(method=m, calls=choice.calls if m != method else 0) for m in rest))


def exportable(kept: Sequence[int], block: Sequence[int], choice: Choice) -> Sequence[int]:
    """
    Seeds of inputs whose outputs an arm still holds after a block: of `kept` samples; of a replayed graph those of
    every call in the block's last sample; of calls in turn each sample's last.
    """
    match choice.method:
        case protocol.GRAPH:
            return [protocol.seed_of_call(block[-1], call) for call in range(choice.calls)]
        case protocol.BATCH:
            return [protocol.seed_of_call(seed, choice.calls - 1) for seed in kept]
    return kept


def choice_of(launch: LaunchTiming) -> Choice:
    """What an earlier launch was timed by, in this run or in the one that this one goes on with."""
    rotated = Choice(method=launch.method).rotated
    return Choice(method=launch.method, calls=int(launch.notes.get("batch", 0)) if rotated else 0)
