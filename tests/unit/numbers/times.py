"""Launches made up: a fake timer for the sequence of looks, which neither knows nor cares where times come from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgate.decision import Question
from kgate.model import Case, LaunchTiming, Ratio
from kgate.sequence import CONFIRMING, Agenda, Answers, follow

SAMPLES = 40
Times = Mapping[str, np.ndarray]  # by arm, in ns
Make = Callable[[np.random.Generator, int, Case], Times]


def cases(kernels: int = 1, workloads: int = 1) -> list[Case]:
    return [Case(kernel=f"k{k}", workload=f"w{w}", device="fake") for k in range(kernels) for w in range(workloads)]


ONE = cases()[0]


def agenda(
    chosen: Sequence[Case], *, looks: Sequence[int] = (8, 16, 32), acting: str = "base", tests: int = 0
) -> Agenda:
    """Head against base on each case and each kernel of several; `tests` more are planned on cases never timed."""
    kernels: dict[str, tuple[Case, ...]] = {}
    for case in chosen:
        kernels[case.kernel] = (*kernels.get(case.kernel, ()), case)
    groups = [(c,) for c in chosen] + [group for group in kernels.values() if len(group) > 1]
    groups += [(case,) for case in cases(tests)[: max(0, tests - len(groups))] if case not in chosen]
    asked = tuple(Question(cases=group, above="head", below="base") for group in groups)
    return Agenda(
        questions=asked, errors=dict.fromkeys(looks, 0.01 / len(looks)), confirming=8, acting=frozenset([acting])
    )


@dataclass
class FakeTimer:
    """Takes launches as `make` has them, and keeps a list of what it was asked for."""

    make: Make
    seed: int = 0
    notes: Mapping[str, str] = field(default_factory=dict)
    launches: dict[Case, list[LaunchTiming]] = field(default_factory=dict)
    asked: list[tuple[int, Case]] = field(default_factory=list)

    def __call__(self, numbers: Sequence[int], chosen: Sequence[Case], *, confirming: bool) -> None:
        assert confirming == any(n >= CONFIRMING for n in numbers)
        for number in numbers:
            for case in chosen:
                self.asked.append((number, case))
                # A case's times depend on its launch alone, as a ledger gives them back whatever else is measured.
                generator = np.random.default_rng([self.seed, number, hash_of(case)])
                samples = {arm: tuple(map(float, ns)) for arm, ns in self.make(generator, number, case).items()}
                timing = LaunchTiming(launch=number, samples_ns=samples, call_ns={}, method="fake", notes=self.notes)
                self.launches.setdefault(case, []).append(timing)

    def follow(self, todo: Agenda, chosen: Sequence[Case]) -> Answers:
        return follow(todo, chosen, self.launches, self)


def hash_of(case: Case) -> int:
    return int.from_bytes(case.stable_name.encode()[-8:], "little")


def steady(slower: float = 0.0, spread: float = 0.003, base_ns: float = 50_000.0) -> Make:
    """Head slower than base by `slower`; a launch's ratio varies by `spread`, and 1 % between samples."""

    def make(generator: np.random.Generator, number: int, case: Case) -> Times:
        return arms(generator, slower, spread, base_ns)

    return make


def arms(
    generator: np.random.Generator, slower: float, spread: float, base_ns: float = 50_000.0
) -> dict[str, np.ndarray]:
    noise = generator.normal(0, 0.01, (2, SAMPLES))
    ratio = np.exp(generator.normal(0, spread)) * (1 + slower)
    return {"head": base_ns * ratio * np.exp(noise[0]), "base": base_ns * np.exp(noise[1])}


def ratios_of(
    make: Make, *, seeds: int = 20, notes: Mapping[str, str] | None = None, todo: Agenda | None = None
) -> list[Ratio]:
    """Of one case, which shares its run with 99 tests more: the answer of each of several runs."""
    planned = todo or agenda([ONE], tests=100)
    asked = next(q for q in planned.questions if q.cases == (ONE,))
    timers = [FakeTimer(make, seed=seed, notes=notes or {}) for seed in range(seeds)]
    return [timer.follow(planned, [ONE]).ratios[asked] for timer in timers]
