"""
`kgate baseline`: stored measurements, taken from the report of a run that is over and did not fail.

Never part of `check`: a run that judges must not move what it is judged by.
"""

import json
import math
import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from tabulate import tabulate

from kgate.errors import UsageError
from kgate.load import baselines, schemas
from kgate.load import manifest as manifests
from kgate.model import Baseline, Fingerprint, Manifest, StoredCase

LAST = ".kgate/last"
RECORDED = ("pass", "warn")
PRIVATE = ("interpreter",)  # a path of the machine that measured: of no use to others, and the file is committed
PLACES = ("worst",)  # metrics whose value is an index, not an error


def record(path: Path, report: Path | None) -> str:
    """Write the report's device file below the manifest's `baselines`; the text says where. Raises UsageError."""
    manifest = manifests.load(path)
    source, body = read_report(manifest, report)
    if body["verdict"] not in RECORDED:
        raise UsageError(f"{source}: the verdict is {body['verdict']}; a baseline is recorded from a run that passes")
    if body["head"].endswith("+dirty"):
        raise UsageError(
            f"{source}: measured with uncommitted changes; commit them, run `kgate check` again, then record"
        )
    taken = taken_from(manifest, body)
    if not taken.cases:
        raise UsageError(f"{source}: no case was timed, so there is nothing to record")
    target = folder_of(manifest) / f"{taken.device}.json"
    kept = baselines.read(target)
    if kept is not None and not kept.fingerprint.differences(taken.fingerprint):
        # A run of some kernels (--kernel) renews those and keeps what it did not measure.
        taken = merged(kept, taken)
    target.parent.mkdir(parents=True, exist_ok=True)
    baselines.write(target, taken)
    return (
        f"{target}: {len(taken.cases)} cases of {taken.device}, commit {taken.commit[:9]}; review and commit this file"
    )


def show(path: Path, device: str) -> str:
    """Every stored device, or the one named."""
    manifest = manifests.load(path)
    folder = folder_of(manifest)
    files = [folder / f"{device}.json"] if device else sorted(folder.glob("*.json"))
    found = [b for b in (baselines.read(f) for f in files) if b is not None]
    if not found:
        raise UsageError(f"{folder}: no baseline {f'of {device} ' if device else ''}is stored; `kgate baseline record`")
    return "\n\n".join(described(b) for b in found)


def diff(path: Path, report: Path | None) -> str:
    """What is stored for the report's device, against the report."""
    manifest = manifests.load(path)
    source, body = read_report(manifest, report)
    new = taken_from(manifest, body)
    old = baselines.read(folder_of(manifest) / f"{new.device}.json")
    if old is None:
        raise UsageError(f"{folder_of(manifest)}: no baseline of {new.device} is stored; `kgate baseline record`")
    rows = [(c.case, micro(c.before_ns), micro(c.after_ns), percent(c.ratio)) for c in baselines.diff(old, new)]
    table = tabulate(rows, headers=("case", "stored µs", "run µs", "change"), disable_numparse=True)
    apart = old.fingerprint.differences(new.fingerprint)
    note = f"\nNot comparable: {', '.join(apart)} differ; the change is shown and decides nothing." if apart else ""
    return f"{old.path} ({old.commit[:9]}, {old.date}) against {source}\n{table}{note}"


def folder_of(manifest: Manifest) -> Path:
    if not manifest.baselines:
        raise UsageError(f"{manifest.path}: names no `baselines` folder; add for instance `baselines: ci/kgate`")
    return manifest.folder / manifest.baselines


def read_report(manifest: Manifest, report: Path | None) -> tuple[Path, dict[str, Any]]:
    """report.json of a results folder, checked against its schema. Raises UsageError."""
    source = report or manifest.folder / LAST
    source = source / "report.json" if source.is_dir() else source
    try:
        body = json.loads(source.read_bytes())
    except OSError as error:
        raise UsageError(f"{source}: no report of a run there ({error.strerror}); run `kgate check` first") from error
    except ValueError as error:
        raise UsageError(f"{source}: not JSON ({error}); run `kgate check` again") from error
    wrong = next(iter(Draft202012Validator(schemas.parsed("report")).iter_errors(body)), None)
    if wrong is not None:
        place = ".".join(str(part) for part in wrong.absolute_path) or "its top level"
        raise UsageError(f"{source}: not a report of this version of kgate ({place}: {wrong.message[:120]})")
    return source, body


def taken_from(manifest: Manifest, body: Mapping[str, Any]) -> Baseline:
    """The baseline that a report amounts to; cases without a time are left out."""
    seen = body["fingerprint"]
    timed = [c for c in body["cases"] if c["latency"] is not None]
    return Baseline(
        path="",
        device=body["device"],
        fingerprint=Fingerprint(
            must_match=seen["must_match"],
            may_drift=seen["may_drift"],
            information={name: text for name, text in seen["information"].items() if name not in PRIVATE},
        ),
        method=timed[0]["latency"]["method"] if timed else "",
        commit=body["head"],
        date=body["started"][:10],
        cases={f"{c['kernel']}/{c['workload']}": stored_case(c) for c in timed},
    )


def stored_case(case: Mapping[str, Any]) -> StoredCase:
    latency = case["latency"]
    logs = [math.log(statistics.median(launch["samples_ns"]["head"])) for launch in latency["launches"]]
    spread = statistics.stdev(logs) if len(logs) > 1 else 0.0
    head = next(arm for arm in case["arms"] if arm["arm"] == "head")
    return StoredCase(
        custom_ns=latency["median_ns"]["head"],
        fallback_ns=latency["median_ns"].get("fallback"),
        spread_log=spread,
        launches=len(logs),
        errors=tuple(
            {m["name"]: number(m["value"]) for m in c["metrics"] if m["name"] not in PLACES}
            for c in head["comparisons"]
        ),
    )


def merged(kept: Baseline, taken: Baseline) -> Baseline:
    return replace(taken, cases={**kept.cases, **taken.cases})


def described(baseline: Baseline) -> str:
    rows = [
        (name, micro(case.custom_ns), micro(case.fallback_ns), f"{case.spread_log:.2%}", case.launches)
        for name, case in sorted(baseline.cases.items())
    ]
    table = tabulate(rows, headers=("case", "custom µs", "fallback µs", "spread", "launches"), disable_numparse=True)
    return (
        f"{baseline.path}: {baseline.device}, commit {baseline.commit[:9]}, {baseline.date}, {baseline.method}\n{table}"
    )


def number(value: float | str) -> float:
    """The report writes infinities as text, since JSON has none."""
    return float(value)


def micro(ns: float | None) -> str:
    return "–" if ns is None else f"{ns / 1000:.1f}"


def percent(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio - 1:+.1%}"
