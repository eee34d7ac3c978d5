"""
A report as a real run left it, for what is shown of it: findings, cases and times, without outputs and samples.

`python -m tests.unit.reports.recorded FOLDER NAME` keeps report.json of a run's folder as data/NAME.json, with what is
needed here alone: after `make broken`, of .try/broken/.kgate/last under the name broken.
"""

import json
import sys
from pathlib import Path
from typing import Any

from kgate.model import (
    Case,
    Decision,
    Finding,
    Fingerprint,
    Latency,
    LaunchTiming,
    Level,
    Place,
    Ratio,
    Report,
    Run,
    Scope,
    Verdict,
)
from tests.unit.builders import kernel

DATA = Path(__file__).resolve().parents[1] / "data"
TOP = ("kgate", "verdict", "manifest", "head", "base", "device", "on_gpu", "sandbox", "started", "command", "findings")
OF_CASE = ("kernel", "workload", "device", "direction")
OF_RATIO = ("above", "below", "median", "low", "high", "launches", "spread", "decision")


def trimmed(told: dict[str, Any]) -> dict[str, Any]:
    cases = [
        {
            **{name: case[name] for name in OF_CASE},
            "median_ns": case["latency"]["median_ns"],
            "ratios": [{name: ratio[name] for name in OF_RATIO} for ratio in case["latency"]["ratios"]],
            "launches": len(case["latency"]["launches"]),
        }
        if case["latency"]
        else {name: case[name] for name in OF_CASE}
        for case in told["cases"]
    ]
    return {**{name: told[name] for name in TOP}, "must_match": told["fingerprint"]["must_match"], "cases": cases}


def recorded(name: str) -> Report:
    told = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    cases = {Case(**{key: entry[key] for key in OF_CASE}): entry for entry in told["cases"]}
    kernels = {case.kernel: kernel(case.kernel) for case in cases}
    run = Run(
        kernels=kernels,
        cases=tuple(cases),
        device=told["device"],
        on_gpu=told["on_gpu"],
        outcomes={},
        comparisons={},
        latency={case: latency(entry) for case, entry in cases.items() if "ratios" in entry},
        ownership={},
        base_ownership={},
        base_kernels=kernels,
        fingerprint=Fingerprint(must_match=told["must_match"]),
        base_ran=True,
    )
    return Report(
        version=told["kgate"],
        verdict=Verdict(told["verdict"]),
        findings=tuple(map(finding, told["findings"])),
        run=run,
        manifest=told["manifest"],
        head=told["head"],
        base=told["base"],
        started=told["started"],
        wall_s=0.0,
        cost_s={},
        command=told["command"],
        sandbox=told["sandbox"],
    )


def finding(told: dict[str, Any]) -> Finding:
    fields = {
        name: value for name, value in told.items() if name not in ("level", "scope", "place", "owners", "blocks")
    }
    return Finding(
        **fields,
        level=Level[told["level"].upper()],
        scope=Scope(told["scope"]),
        owners=tuple(told["owners"]),
        place=Place(**told["place"]) if told["place"] else None,
    )


def latency(told: dict[str, Any]) -> Latency:
    ratios = tuple(Ratio(**{**ratio, "decision": Decision(ratio["decision"])}) for ratio in told["ratios"])
    launches = [LaunchTiming(launch=n, samples_ns={}, call_ns={}, method="") for n in range(told["launches"])]
    return Latency(launches=tuple(launches), median_ns=told["median_ns"], ratios=ratios, method="")


if __name__ == "__main__":
    folder, name = Path(sys.argv[1]), sys.argv[2]
    kept = trimmed(json.loads((folder / "report.json").read_text(encoding="utf-8")))
    (DATA / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
