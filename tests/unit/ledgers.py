"""Ledgers as a run on a GPU leaves them, made by hand: one kernel, one case, all right, times drawn from a seed."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from kgate import premises
from kgate.load.tree import Head
from kgate.model import Arm, Fingerprint, LaunchTiming, Outcome, Ownership
from kgate.plan import plan
from kgate.premises import Attempt
from kgate.protocol import Identity
from kgate.runner import records
from kgate.runner.ledger import Ledger
from kgate.runner.place import Workplace
from kgate.sequence import confirming_numbers
from kgate.setting import Base, Setting
from tests.unit import builders
from tests.unit.test_plan import H200, kernel, manifest, workload

CASE = builders.case("add", "w", "h200")
LOOKS = (8, 16, 32)
SAMPLES = 9


def setting(ledger: Ledger, key: str = "key") -> Setting:
    declared = manifest(kernel("add", workload("w", "cuda")))
    seen = Identity(must_match={"timer": "cuda-events-flush"}, may_drift={}, information={}, adapters={}, devices={})
    return Setting(
        manifest=declared,
        base=Base(commit="b" * 40, tree_hash="t", folder=None, manifest=declared),
        head=Head(commit="h" * 40, dirty=False, tree="t"),
        plan=plan(declared, declared, H200),
        workplace=Workplace(python={}, trees={}, folder=Path(key), device="cuda:0"),
        identity=seen,
        fingerprint=Fingerprint(must_match=seen.must_match),
        ledger=ledger,
        lock=-1,
        folder=Path(key),
        stored=None,
        remarks=("a remark",),
    )


def attempt(
    path: Path,
    *,
    hour: int = 8,
    slower: float = 1.0,
    launches: Iterable[int] = range(8),
    key: str = "key",
    told: int = 0,
    spread: float = 0.002,
    outcomes: dict[Arm, Outcome] | None = None,
) -> Path:
    """A finished run, begun at this hour, with head `slower` than base by this factor in each of `launches`."""
    made = Attempt(
        drills="none", started=f"2026-10-07T{hour:02}:00:00.5+00:00", launches=told, command="kgate check", wall_s=60.0
    )
    with Ledger.open(path) as ledger:
        premises.record(setting(ledger, key))
        premises.record_attempt(ledger, made)
        for look in [told] if told else LOOKS:
            ledger.record("look", str(look), 0.01 / 3)
        answer(ledger, outcomes or {})
        draw = np.random.default_rng(hour)
        for number in launches:
            ledger.record(
                "launch", f"{number}|{CASE.name}", records.launch_to_json(timing(number, slower, spread, draw), {})
            )
        owned = {"add": Ownership(owners=("@acme/kernels",))}
        premises.record_ownership(ledger, owned, owned)
        premises.record_attempt(ledger, replace(made, cost_s={"times": 50.0}))
    return path


def answer(ledger: Ledger, other: dict[Arm, Outcome]) -> None:
    """Every arm is right, but for what `other` says."""
    for (arm, _), outcome in {**builders.green_outcomes(CASE), **{(a, CASE): o for a, o in other.items()}}.items():
        ledger.record("outcome", f"{arm.name}|{CASE.name}", records.outcome_to_json(outcome))
    for (arm, _), found in builders.green_comparisons(CASE).items():
        if arm not in other:
            ledger.record("comparison", f"{arm.name}|{CASE.name}", records.comparisons_to_json(found))


def timing(number: int, slower: float, spread: float, draw: np.random.Generator) -> LaunchTiming:
    """Base takes 100 µs, the fallback twice as long; launches of head differ by `spread`, their samples hardly."""
    head = 100_000.0 * slower * np.exp(draw.normal(0.0, spread))
    ns = {"head": head, "base": 100_000.0, "fallback": 200_000.0}
    samples = {arm: tuple(float(one * (1 + 1e-4 * i)) for i in range(SAMPLES)) for arm, one in ns.items()}
    return LaunchTiming(launch=number, samples_ns=samples, call_ns={}, method="cuda-events-flush")


def confirmed(look: int = 8) -> list[int]:
    """The launches of a look and those that are to confirm it."""
    return [*range(look), *confirming_numbers(look, 8)]
