"""
The custom path's device times as pytest-benchmark stores a run, for what reads that: its `compare`, and dashboards.

A round is a sample: the time of one call, in seconds. The statistics are those that pytest-benchmark computes of the
same numbers (src/pytest_benchmark/stats.py of its version 5, which `tests` hold this against). They describe samples;
kgate's own figures, which rest on launches, are in `extra_info`.
"""

import json
import math
import statistics
from collections.abc import Sequence
from typing import Any

from kgate.model import BASE, FALLBACK, HEAD, Case, Latency, Report
from kgate.reports._style import Style
from kgate.reports.document import finding, finite

NAME = "pytest-benchmark"
VERSION = "5.0.0"  # the oldest pytest-benchmark that writes this form
ITEM = "latency"  # the end of a case's test item, as `pytest --kgate` calls it
NS = 1e-9


def render(report: Report, style: Style) -> str:
    """What pytest-benchmark does not ask for is under `kgate`, which its readers pass over."""
    told = {
        "machine_info": machine(report),
        "commit_info": {"id": report.head.partition("+")[0], "dirty": "+" in report.head, "time": None, "branch": ""},
        "benchmarks": [benchmark(report, case, found) for case, found in timed(report)],
        "datetime": report.started,
        "version": VERSION,
        "kgate": {
            "version": report.version,
            "verdict": report.verdict.value,
            "attempts": report.attempts,
            "blocking": [finding(found) for found in report.findings if found.blocks],
        },
    }
    return json.dumps(finite(told), allow_nan=False, indent=1) + "\n"


def machine(report: Report) -> dict[str, Any]:
    """The fingerprint, under the names that readers of this form look for as well."""
    told = report.run.fingerprint
    return {
        "node": told.information.get("host", ""),
        "machine": report.run.device,
        "cpu": {"brand_raw": told.must_match.get("gpu", "") if report.run.on_gpu else told.must_match.get("cpu", "")},
        **dict(sorted(told.must_match.items())),
    }


def timed(report: Report) -> list[tuple[Case, Latency]]:
    return [(case, found) for case in report.run.cases if (found := report.run.latency.get(case)) and seconds(found)]


def benchmark(report: Report, case: Case, found: Latency) -> dict[str, Any]:
    data = seconds(found)
    return {
        "group": None,
        "name": case.stable_name,
        "fullname": fullname(report.manifest, case.kernel, case.workload),
        "params": None,
        "param": None,
        "extra_info": extra(case, found),
        "options": options(found),
        "stats": {**stats(data), "data": data, "iterations": 1},
    }


def fullname(manifest: str, kernel: str, workload: str) -> str:
    """As `pytest --kgate` names the item, so that a run of either can be compared with one of the other."""
    return f"{manifest}::{kernel}::{workload}::{ITEM}"


def seconds(found: Latency) -> list[float]:
    """Every sample of the custom path, launch after launch."""
    return [ns * NS for launch in found.launches for ns in launch.samples_ns.get(HEAD.name, ()) if 0 < ns < math.inf]


def options(found: Latency) -> dict[str, Any]:
    """What pytest-benchmark was told, where it measures itself; here the timer is the gate's."""
    return {"timer": f"kgate {found.method}", "disable_gc": False, "warmup": True}


def extra(case: Case, found: Latency) -> dict[str, Any]:
    """What rests on launches, the unit of kgate's statistics. Ratios are times of the custom path over the other's."""
    ratios = {arm.name: found.ratio(HEAD.name, arm.name) for arm in (BASE, FALLBACK)}
    return {
        "device": case.device,
        "launches": len(found.launches),
        "median_ns": dict(sorted(found.median_ns.items())),
        "ratios": {
            name: {
                "median": r.median,
                "low": r.low,
                "high": r.high,
                "launches": r.launches,
                "decision": r.decision.value,
            }
            for name, r in ratios.items()
            if r is not None
        },
    }


def stats(data: Sequence[float]) -> dict[str, Any]:
    """Of at least one number."""
    ordered = sorted(data)
    mean, total = statistics.mean(data), sum(data)
    stddev = statistics.stdev(data) if len(data) > 1 else 0.0
    q1, q3 = quartiles(ordered)
    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
    beyond = sum(not mean - stddev <= x <= mean + stddev for x in data)
    far = sum(not low <= x <= high for x in data)
    return {
        "min": ordered[0],
        "max": ordered[-1],
        "mean": mean,
        "stddev": stddev,
        "rounds": len(data),
        "median": statistics.median(data),
        "iqr": q3 - q1,
        "q1": q1,
        "q3": q3,
        "iqr_outliers": far,
        "stddev_outliers": beyond,
        "outliers": f"{beyond};{far}",
        "ld15iqr": next((x for x in ordered if x >= low), ordered[0]),
        "hd15iqr": next((x for x in reversed(ordered) if x <= high), ordered[-1]),
        "ops": len(data) / total,
        "total": total,
    }


def quartiles(ordered: Sequence[float]) -> tuple[float, float]:
    """Medians of the halves; of an odd number the third of the usual methods, which weighs two neighbours."""
    n, odd = divmod(len(ordered), 4)
    if len(ordered) == 1:
        return ordered[0], ordered[0]
    if odd == 1:
        return (
            0.25 * ordered[n - 1] + 0.75 * ordered[n],
            0.75 * ordered[3 * n] + 0.25 * ordered[3 * n + 1],
        )
    if odd == 3:
        return (
            0.75 * ordered[n] + 0.25 * ordered[n + 1],
            0.25 * ordered[3 * n + 1] + 0.75 * ordered[3 * n + 2],
        )
    half = len(ordered) // 2
    return statistics.median(ordered[:half]), statistics.median(ordered[half:])
