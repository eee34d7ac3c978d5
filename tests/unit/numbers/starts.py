"""Starts of a machine, made up: what record.py would have written."""

from collections.abc import Mapping

import numpy as np

from benchmarks.rates.recordings import Heading, Recorded, Start, Taken

WAYS = ("work", "pass", "schedule")


def start(
    name: str = "one",
    *,
    kernels: int = 4,
    launches: int = 48,
    spread: float = 0.003,
    bias: float = 0.0,
    dose: float = 0.06,
    clock: float = 1.0,
    throttle: Mapping[int, Mapping[str, str]] | None = None,
) -> Start:
    """`bias`: of head over base, in log; `clock`: all times by this factor; `throttle`: by launch."""
    generator = np.random.default_rng([len(name), launches, kernels])
    names = [f"k{number}" for number in range(kernels)]
    taken = [
        Recorded(
            launch=number,
            zygote=number % 4,
            second=5.0 * number,
            took=float(kernels),
            kernels={
                k: one(generator, number, spread, bias, dose, clock, (throttle or {}).get(number, {})) for k in names
            },
        )
        for number in range(launches)
    ]
    heading = Heading(
        start=name,
        date="2026-01-01",
        fingerprint={"gpu": "made up"},
        zygotes=4,
        kernels=dict.fromkeys(names, "made up"),
        doses={k: dict.fromkeys(WAYS, ("more", dose)) for k in names},
    )
    return Start(heading=heading, launches=taken)


def one(
    generator: np.random.Generator,
    number: int,
    spread: float,
    bias: float,
    dose: float,
    clock: float,
    throttle: Mapping[str, str],
) -> Taken:
    centre = np.array([bias + generator.normal(0, spread), 0.0, np.log1p(dose) + generator.normal(0, spread)])
    times = 100_000 * clock * np.exp(centre[:, None] + generator.normal(0, 0.005, (3, 40)))
    ns = {arm: [round(t) for t in row] for arm, row in zip(("head", "base", "slowed"), times, strict=True)}
    return Taken(method="made-up", calls=1, ns=ns, way=WAYS[number % 3], mhz=(1980, 1980), throttle=throttle)
