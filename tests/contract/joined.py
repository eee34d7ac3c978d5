"""Repositories of two commits, results as runners deliver them, and what `kgate report --base` makes of both."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from kgate import joining, premises, setting
from kgate.base import Base
from kgate.joining.legs import Joined
from kgate.load import tree
from kgate.load.manifest import load
from kgate.model import HEAD, TIMED, Case, Comparison, Fingerprint, Metric
from kgate.plan import plan
from kgate.protocol import Identity
from kgate.runner import records
from kgate.runner.ledger import Ledger
from kgate.runner.place import Workplace
from tests.unit import builders, ledgers
from tests.unit.test_plan import H200

MANIFEST = """\
version: 1
gpus: {gpus}
policy: {{slower-than-base: {level}}}
kernels:
  add:
    owners: ["@acme/kernels"]
    dispatch: acme.ops:add
    custom: acme.ops:fused
    fallback: acme.ops:eager
    switch: {{env: ACME_ADD}}
    args:
      x: {{shape: [M, 128], dtype: float32}}
    workloads:
      w: {{M: 64, source: test}}
"""
CODE = "def add(x): return x\ndef fused(x): return x\ndef eager(x): return x\n"
CASE = Case(kernel="add", workload="w", device="h200")


def text(level: str = "fail", gpus: str = "{h200: required}") -> str:
    return MANIFEST.format(gpus=gpus, level=level)


def full() -> dict[str, Metric]:
    """All metrics that a bound may ask for, of an answer that is right."""
    names = {"psnr": 140.0, "cosine": 1.0, "mismatch": 0.0, "worst": 1e-7}
    return {
        **{name: builders.metric(name, value, "0 of 8192") for name, value in names.items()},
        "relative_l2": builders.metric(),
        "row_error": builders.metric("row_error", 2e-6),
    }


def delivered(root: Path, folder: Path, wrong: tuple[Comparison, ...] = (), **changes: Any) -> Path:
    """What a runner that has measured HEAD of the repository leaves in its folder."""
    slower, launches = changes.pop("slower", 1.0), changes.pop("launches", range(8))
    folder.mkdir(parents=True)
    declared, head, base = load(root / "kgate.yaml"), tree.commit_of(root, "HEAD"), tree.commit_of(root, "HEAD~1")
    ledger = Ledger.open(folder / "ledger.jsonl")
    must_match = {"timer": "cuda-events-flush"}
    here = setting.Setting(
        manifest=declared,
        base=Base(commit=changes.pop("base", base), tree_hash="t", folder=None, manifest=declared),
        head=tree.Head(commit=changes.pop("head", head), dirty=changes.pop("dirty", False), tree="t"),
        plan=plan(declared, declared, replace(H200, **changes)),
        workplace=Workplace(python={}, trees={}, folder=Path("key"), device="cuda:0"),
        identity=Identity(must_match=must_match, may_drift={}, information={}, adapters={}, devices={}),
        fingerprint=Fingerprint(must_match=must_match),
        ledger=ledger,
        lock=-1,
        folder=Path("key"),
        stored=None,
        remarks=("a remark",),
    )
    premises.record(here)
    made = premises.Attempt(started="2026-10-07T08:00:00.5+00:00", launches=0, command="kgate check", drills="none")
    premises.record_attempt(ledger, replace(made, cost_s={"times": 50.0}))
    right = builders.right(metrics=full())
    for (arm, _), outcome in builders.green_outcomes(CASE).items():
        ledger.record("outcome", f"{arm.name}|{CASE.name}", records.outcome_to_json(outcome))
    for arm, _ in builders.green_comparisons(CASE):
        said = wrong if wrong and arm == HEAD else right
        if arm != TIMED:
            ledger.record("comparison", f"{arm.name}|{CASE.name}", records.comparisons_to_json(said))
    draw = ledgers.np.random.default_rng(8)
    for number in launches:
        timing = records.launch_to_json(ledgers.timing(number, slower, 0.002, draw), {})
        ledger.record("launch", f"{number}|{CASE.name}", timing)
    ledger.close()
    return folder


def join(root: Path, *folders: Path, **changes: Any) -> Joined:
    order = {"manifest": root / "kgate.yaml", "base": "HEAD~1", "drills": "none", **changes}
    return joining.join(joining.Order(folders=folders, **order))


def rules_of(found: Joined) -> set[str]:
    return {f.rule for judged in found.legs for report in judged.reports for f in report.findings if f.blocks}


def trouble_of(found: Joined) -> str:
    return "; ".join((*found.trouble, *(sentence for judged in found.legs for sentence in judged.trouble)))
