"""
`kgate baseline`: stored measurements, taken from the report of a run that is over and did not fail.

Never part of `check`: a run that judges must not move what it is judged by.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tabulate import tabulate

from kgate import results
from kgate.errors import UsageError
from kgate.figures import change, count, time_of
from kgate.load import baselines
from kgate.load import manifest as manifests
from kgate.load.baselines import Change
from kgate.model import Baseline, Fingerprint, Manifest, Noise, StoredCase

RECORDED = ("pass", "warn")
LAUNCHES_NEEDED = 3  # two differ by chance alone; the spread decides what counts as slower later
NOISE_FREEDOM = 23  # of forty launches, of which trimming leaves 24
SPREAD = (
    "spread: standard deviation between the launches of the stored run; a later run is\n"
    "  slower beyond 15 % and beyond what such a launch shows once in a hundred times"
)
PRIVATE = ("interpreter",)  # a path of the machine that measured: of no use to others, and the file is committed
PLACES = ("worst", "extent", "pattern")  # metrics that tell where an error is, not how large


def record(path: Path, report: Path | None) -> str:
    """Write the report's device file below the manifest's `baselines`; the text says where. Raises UsageError."""
    manifest = manifests.load(path)
    taken = recordable(manifest, *results.read(manifest, report))
    target = folder_of(manifest) / f"{taken.device}.json"
    kept = baselines.read(target)
    baselines.write(target, merged(kept, taken))
    return recorded(target, kept, taken)


def recordable(manifest: Manifest, source: Path, body: Mapping[str, Any]) -> Baseline:
    """What the report `body` of `source` amounts to. Raises UsageError where it is nothing to be held against."""
    if body["verdict"] not in RECORDED:
        raise UsageError(f"{source}: the verdict is {body['verdict']}; a baseline is recorded from a run that passes")
    if body["head"].endswith("+dirty"):
        raise UsageError(
            f"{source}: measured with uncommitted changes; commit them, run `kgate check` again, then record"
        )
    taken = taken_from(manifest, body)
    if not taken.cases:
        raise UsageError(f"{source}: no case was timed, so there is nothing to record")
    short = next(((name, c.launches) for name, c in taken.cases.items() if c.launches < LAUNCHES_NEEDED), None)
    if short is not None:
        raise UsageError(
            f"{source}: {short[0]} was timed in {count(short[1], 'launch', 'launches')}, too few to know its spread; "
            f"run `kgate check` without --launches, or with {LAUNCHES_NEEDED} or more, then record"
        )
    return taken


def recorded(target: Path, kept: Baseline | None, taken: Baseline) -> str:
    """Where the cases are now, and what became of those that were there before: replaced, kept or dropped."""
    before = kept or replace(taken, cases={})
    apart = before.fingerprint.differences(taken.fingerprint)
    changes = baselines.diff(before, taken)
    left = [c.case for c in changes if c.after_ns is None]
    number = f"{count(len(taken.cases), 'case')} of {taken.device}" + (
        f", {len(left)} kept" if left and not apart else ""
    )
    lines = [f"{target}: {number}, commit {taken.commit[:9]}; review and commit this file"]
    lines += [
        f"replaces {c.case}: {micro(c.before_ns)} → {micro(c.after_ns)} µs ({change(c.ratio)})"
        for c in changes
        if c.before_ns is not None and c.after_ns is not None and c.ratio is not None
    ]
    if apart:
        lines += [f"drops {case}: measured on another fingerprint ({', '.join(apart)})" for case in left]
    return "\n".join(lines)


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
    source, body = results.read(manifest, report)
    new = taken_from(manifest, body)
    old = baselines.read(folder_of(manifest) / f"{new.device}.json")
    if old is None:
        raise UsageError(f"{folder_of(manifest)}: no baseline of {new.device} is stored; `kgate baseline record`")
    rows = [difference(c, old, new) for c in baselines.diff(old, new)]
    table = drawn(("case", "stored", "run", "change", "spread", ""), rows)
    apart = old.fingerprint.differences(new.fingerprint)
    footnote = f"\n{SPREAD}" if rows else ""
    note = f"\nNot comparable: {', '.join(apart)} differ; the change is shown and decides nothing." if apart else ""
    return f"{old.path} ({old.commit[:9]}, {old.date}) against {source}\n{table}{footnote}{note}"


def difference(case: Change, old: Baseline, new: Baseline) -> tuple[str, ...]:
    """One row of `diff`; a change that launches show among themselves, and one between two timers, is marked."""
    stored, taken = old.cases.get(case.case), new.cases.get(case.case)
    within = case.ratio is not None and stored is not None and abs(math.log(case.ratio)) <= stored.spread_log
    otherwise = stored is not None and taken is not None and old.method_of(stored) != new.method_of(taken)
    return (
        case.case,
        time(case.before_ns),
        time(case.after_ns),
        "–" if case.ratio is None else change(case.ratio),
        "–" if stored is None else share(stored.spread_log),
        "by another timer" if otherwise else "within its spread" if within else "",
    )


def folder_of(manifest: Manifest) -> Path:
    if not manifest.baselines:
        raise UsageError(f"{manifest.path}: names no `baselines` folder; add for instance `baselines: ci/kgate`")
    return manifest.folder / manifest.baselines


def taken_from(manifest: Manifest, body: Mapping[str, Any]) -> Baseline:
    """The baseline that a report amounts to; cases without a time are left out."""
    seen = body["fingerprint"]
    timed = [c for c in body["cases"] if c["latency"] is not None]
    method = seen["must_match"].get("timer", "") or (timed[0]["latency"]["method"] if timed else "")
    return Baseline(
        path="",
        device=body["device"],
        fingerprint=Fingerprint(
            must_match=seen["must_match"],
            may_drift=seen["may_drift"],
            information={name: text for name, text in seen["information"].items() if name not in PRIVATE},
        ),
        method=method,
        commit=body["head"],
        date=body["started"][:10],
        cases={f"{c['kernel']}/{c['workload']}": stored_case(c, method) for c in timed},
    )


def stored_case(case: Mapping[str, Any], method: str) -> StoredCase:
    """`method` is the baseline's; a case that was timed otherwise says so itself."""
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
        noise={
            r["below"]: Noise(spread_log=float(r["spread"]), freedom=r["freedom"])
            for r in latency["ratios"]
            if r["above"] == "head" and r["freedom"]
        },
        method="" if latency["method"] == method else latency["method"],
    )


def merged(kept: Baseline | None, taken: Baseline) -> Baseline:
    """A run of some cases (--kernel, --workload) renews those; what it did not measure is kept where it compares."""
    if kept is None or kept.fingerprint.differences(taken.fingerprint):
        return taken
    renewed = {
        name: replace(case, noise=remembered(before.noise, case.noise))
        if (before := kept.cases.get(name)) and kept.method_of(before) == taken.method_of(case)
        else case
        for name, case in taken.cases.items()
    }
    return replace(taken, cases={**kept.cases, **renewed})


def remembered(old: Mapping[str, Noise], new: Mapping[str, Noise]) -> Mapping[str, Noise]:
    """Variances pooled by their degrees of freedom; the oldest give way, so that about forty launches count."""
    pooled = dict(old)
    for rival, today in new.items():
        before = old.get(rival)
        weight = min(before.freedom, max(0, NOISE_FREEDOM - today.freedom)) if before else 0
        if before and weight:
            freedom = weight + today.freedom
            variance = (weight * before.spread_log**2 + today.freedom * today.spread_log**2) / freedom
            pooled[rival] = Noise(spread_log=math.sqrt(variance), freedom=freedom)
        else:
            pooled[rival] = today
    return pooled


def described(baseline: Baseline) -> str:
    rows = [
        (name, time(case.custom_ns), time(case.fallback_ns), share(case.spread_log), str(case.launches))
        for name, case in sorted(baseline.cases.items())
    ]
    table = drawn(("case", "custom", "fallback", "spread", "launches"), rows)
    head = f"{baseline.path}: {baseline.device}, commit {baseline.commit[:9]}, {baseline.date}, {baseline.method}"
    return f"{head}\n{table}\n{SPREAD}"


def drawn(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """As `kgate check` draws its table: names to the left, numbers to the right, remarks without a heading left."""
    align = ["left" if h in ("case", "") else "right" for h in headers]
    text = tabulate(rows, headers=headers, disable_numparse=True, colalign=align if rows else None)
    return "\n".join(line.rstrip() for line in text.splitlines())


def number(value: float | str) -> float:
    """The report writes infinities as text, since JSON has none."""
    return float(value)


def micro(ns: float) -> str:
    return f"{ns / 1000:.1f}"


def time(ns: float | None) -> str:
    return "–" if ns is None else time_of(ns)


def share(value: float) -> str:
    return f"{value * 100:.1f} %"
