"""How one launch spends its time: how many blocks, in which order of arms, with which seeds."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgate.runner.choice import ROOM_BYTES, Choice
from kgate.runner.roofline import Floor

MIB = 1 << 20
BATCH_LIMIT = 1000  # calls; one sample is never stretched further than this, however short the call


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """
    Of every case of a launch. `blocks` is of each arm; the defaults give 64 alternating samples an arm.

    `least_sample_ns`: calls are batched until one sample takes this long by the estimate; 0 never batches.
    """

    blocks: int = 8
    samples_per_block: int = 8
    warmups: int = 3
    keep_bytes: int = 256 * MIB  # outputs that an arm keeps of a block, for the export
    export_limit_bytes: int = 256 * MIB  # a launch, all arms and cases
    case_budget_s: float = 4.0  # all arms together, by the estimate; at least two blocks of one sample are taken
    least_sample_ns: int = 0
    seed: int = 0  # with the launch's number, of everything that is drawn
    mirrors: int | None = None  # the launch whose orders of arms are drawn again, and turned round
    method: str = ""  # the timer that the probe has named, for cases without a choice; "": the first arm's
    # A sample of rotated calls is a mean over many, and costs the host more than a single call's.
    rotated_samples_per_block: int = 5
    room_bytes: int = ROOM_BYTES  # of device memory, for an arm's rotated inputs
    choices: Mapping[str, Choice] = field(default_factory=dict)  # by case, of an earlier launch
    # Cases of which few samples are taken and no output is exported: what the gate times beside the user's.
    aside: frozenset[str] = frozenset()
    aside_blocks: int = 4
    aside_samples_per_block: int = 5
    floors: Mapping[str, Floor] = field(default_factory=dict)  # by case: what no time can be below
    alternating: frozenset[str] = frozenset()  # cases whose arms do not fit into the device's memory together
    until_s: float = math.inf  # by the monotonic clock: no case of a launch is begun later

    def of(self, case: str) -> "Schedule":
        if case not in self.aside:
            return self
        samples = self.aside_samples_per_block
        return replace(
            self, blocks=self.aside_blocks, samples_per_block=samples, rotated_samples_per_block=samples, keep_bytes=0
        )


@dataclass(frozen=True, kw_only=True)
class Course:
    """What a schedule comes to for one case."""

    blocks: int  # of each arm
    samples_per_block: int
    batch: int


def course(schedule: Schedule, estimate_ns: int, arms: int, calls: int = 0) -> Course:
    """
    The same for all arms, or their samples could not be paired; `estimate_ns` is of one call of one of them. `calls`:
    how many rotated ones a sample has.
    """
    estimate_ns = max(1, estimate_ns)
    batch = calls or min(BATCH_LIMIT, max(1, math.ceil(schedule.least_sample_ns / estimate_ns)))
    affordable = int(schedule.case_budget_s * 1e9 / (estimate_ns * batch * arms))
    wanted = schedule.rotated_samples_per_block if calls else schedule.samples_per_block
    samples = min(wanted, max(1, affordable // schedule.blocks))
    # Two at least and an even number: a drift over time cancels only between an order and its reverse.
    blocks = min(schedule.blocks, max(2, affordable // samples // 2 * 2))
    return Course(blocks=blocks, samples_per_block=samples, batch=batch)


def orders(arms: Sequence[str], rounds: int, draw: random.Random) -> Iterator[tuple[str, ...]]:
    """ABBA: every second round is the one before it in reverse, and each pair of rounds is drawn anew."""
    order = list(arms)
    for index in range(rounds):
        if index % 2 == 0:
            draw.shuffle(order)
        else:
            order.reverse()
        yield tuple(order)


def seeds(course: Course, draw: random.Random) -> list[tuple[int, ...]]:
    """By block, one per sample, none twice in a case; 0 is left out, since it means values as drawn."""
    drawn = draw.sample(range(1, 1 << 32), course.blocks * course.samples_per_block)
    n = course.samples_per_block
    return [tuple(drawn[i : i + n]) for i in range(0, len(drawn), n)]


def kept(block: Sequence[int], output_bytes: int, keep_bytes: int) -> Sequence[int]:
    """Of the seeds of a block those whose outputs an arm still holds: the newest, as far as they fit."""
    fits = len(block) if output_bytes == 0 else keep_bytes // output_bytes
    return block[max(0, len(block) - fits) :]
