"""
How launches differ, as data, and times drawn from it.

Spreads are of the log ratio of one code in both arms, per launch, over 75 launches on two starts of a machine with one
NVIDIA H200 (torch 2.11, CUDA 13.0, 48 samples an arm and launch, arms in lockstep), but for what is marked assumed.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
SAMPLES = 40  # of each arm in a launch
# Assumed: what samples of one process differ by, in launch spreads; and how far the clock of another day is off.
SAMPLE_SPREADS = 2.0
DAY_SPREAD = 0.01
# The median of 40 pairs varies by 1.2533 √2 2 / √40 of the launch spread; the rest is the processes' own.
PROCESS_SHARE = float(np.sqrt(1 - (1.2533 * np.sqrt(2) * SAMPLE_SPREADS) ** 2 / SAMPLES))


@dataclass(frozen=True, kw_only=True)
class Noise:
    """`burst_share` of launches have one arm slow by a factor drawn between `burst_least` and `burst_most`."""

    name: str
    spread: float
    source: str
    burst_share: float = 0.0
    burst_least: float = 1.0
    burst_most: float = 1.0


MEASURED = (
    Noise(name="0.1 %", spread=0.001, source="GEMM 4096³ bf16, 0.17 ms: 0.10–0.15 %, largest 0.4 %"),
    Noise(
        name="0.3 %",
        spread=0.003,
        source="softmax and attention, 0.11 and 0.15 ms: 0.2–0.3 %, largest 1.5 %; one launch of RMSNorm 4.8 % off",
        burst_share=1 / 75,
        burst_least=1.015,
        burst_most=1.048,
    ),
    Noise(name="1 %", spread=0.01, source="add of 16M, 52 µs: 0.9 %, largest 2.3 %"),
    Noise(
        name="0.8 % + bursts",
        spread=0.008,
        source="GEMM 2048³ bf16, 27 µs, by events: in 4 of 75 launches one arm was 14–91 % slow, else 0.8 %",
        burst_share=4 / 75,
        burst_least=1.14,
        burst_most=1.91,
    ),
)


def bursts(noise: Noise, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """In log time: 0 in most launches. Few are drawn at a time, since most launches have none."""
    out = np.zeros(shape, np.float32)
    if noise.burst_share:
        hit = generator.random(shape, np.float32) < noise.burst_share
        out[hit] = np.log(generator.uniform(noise.burst_least, noise.burst_most, int(hit.sum())))
    return out


def log_ratios(noise: Noise, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Each launch's number for the same code in both arms, without its samples."""
    drawn = generator.standard_normal(shape, np.float32) * np.float32(noise.spread)
    if noise.burst_share:
        side = np.where(generator.random(shape, np.float32) < 0.5, np.float32(-1), np.float32(1))
        drawn += side * bursts(noise, generator, shape)
    return drawn


def log_times(noise: Noise, generator: np.random.Generator, cases: int, launches: int) -> Floats:
    """Log times of the same code in two arms, [2, cases, launches, samples], without the day's part."""
    shape = (2, cases, launches)
    own = generator.standard_normal(shape, np.float32) * np.float32(noise.spread * PROCESS_SHARE / np.sqrt(2))
    hit_arm = generator.random((1, cases, launches), np.float32) < 0.5
    burst = bursts(noise, generator, (1, cases, launches))
    own += np.concatenate([np.where(hit_arm, burst, 0), np.where(hit_arm, 0, burst)])
    times = generator.standard_normal((*shape, SAMPLES), np.float32)
    times *= np.float32(noise.spread * SAMPLE_SPREADS)
    times += own[..., None]
    return times
