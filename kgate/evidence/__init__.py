"""
`kgate decide`: whether a kernel is needed, from a trace of production, the manifest, the last run and the baselines.

    trace -> timeline -> usage --+
    manifest, report, baseline --+-> what is known -> four conditions -> recommendation
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate import results
from kgate.errors import ManifestError, UsageError
from kgate.evidence import pace
from kgate.evidence.calls import DECODE_ROWS, Asked
from kgate.evidence.conditions import Condition, Known, conditions
from kgate.evidence.recommendation import Recommendation, recommendation
from kgate.evidence.spans import spans
from kgate.evidence.timeline import timeline
from kgate.evidence.usage import Usage, names_of, usage
from kgate.load import baselines, hints
from kgate.load import manifest as manifests
from kgate.model import Kernel, Manifest, Place
from kgate.wire import ProtocolError, build

__all__ = ["Condition", "Decided", "Known", "Order", "Recommendation", "Usage", "decide"]

STORED_BYTES = 1 << 20  # of what `--format json` prints; a trace is larger or has no `usage`


@dataclass(frozen=True, kw_only=True)
class Order:
    """What was asked for on the command line; `operators` and `within` are patterns of names in the trace."""

    kernel: str
    manifest: Path
    trace: Path | None = None
    report: Path | None = None
    operators: tuple[str, ...] = ()
    within: str = ""
    decode_rows: int = DECODE_ROWS


@dataclass(frozen=True, kw_only=True)
class Decided:
    known: Known
    conditions: tuple[Condition, ...]
    recommendation: Recommendation


def decide(order: Order) -> Decided:
    """Raises UsageError where kernel, trace or report are not there or cannot be read."""
    manifest, kernel = named(order)
    patterns = order.operators or (*names_of(kernel.production_operator), *kernel.device_kernels)
    asked = Asked(patterns=patterns, within=order.within, decode_rows=order.decode_rows)
    found, profile = used(order, manifest, kernel, asked)
    report = last_report(manifest, order.report) if manifest else None
    known = Known(
        kernel=kernel,
        usage=found,
        profile=profile,
        patterns=patterns,
        pace=pace_of(found, pace.of_report(report, kernel.name) if report else None, stored_pace(manifest, kernel)),
        report=report,
    )
    return Decided(known=known, conditions=conditions(known), recommendation=recommendation(known))


def named(order: Order) -> tuple[Manifest | None, Kernel]:
    """A kernel that is not written yet has no entry; then its operators have to be named."""
    try:
        manifest = manifests.load(order.manifest)
    except ManifestError:
        if not order.operators or manifests.located(order.manifest).exists():
            raise
        manifest = None
    kernels = {kernel.name: kernel for kernel in manifest.kernels} if manifest else {}
    if order.kernel in kernels:
        return manifest, kernels[order.kernel]
    if not order.operators:
        near = hints.nearest(order.kernel, kernels)
        raise UsageError(f"{order.kernel!r} is no kernel of {order.manifest}{near}; or name its `--operator`")
    return manifest, planned(order.kernel)


def planned(name: str) -> Kernel:
    return Kernel(
        name=name,
        owners=(),
        dsl="torch",
        dispatch="",
        custom="",
        fallback="",
        workloads=(),
        place=Place(path="", line=0),
    )


def used(order: Order, manifest: Manifest | None, kernel: Kernel, asked: Asked) -> tuple[Usage | None, str]:
    """Of the trace that is named, else of the one that the manifest's `evidence` names; with where it is from."""
    if order.trace is not None:
        return usage(timeline(spans(order.trace)), asked), str(order.trace)
    if manifest is None or not kernel.evidence_profile:
        return None, ""
    path = manifest.folder / kernel.evidence_profile
    where = kernel.evidence_source or kernel.evidence_profile
    return stored_usage(path) or usage(timeline(spans(path)), asked), where


def stored_usage(path: Path) -> Usage | None:
    """Where the file is what `kgate decide --format json` has printed; None where it is something else."""
    try:
        body = json.loads(path.read_bytes()) if path.stat().st_size <= STORED_BYTES else None
    except (OSError, ValueError):
        return None
    if not isinstance(body, dict) or not body.get("usage"):
        return None
    try:
        return build(Usage, body["usage"], "usage")
    except ProtocolError as error:
        raise UsageError(f"{path}: not of this version of kgate ({error}); run `kgate decide --trace` again") from error


def last_report(manifest: Manifest, report: Path | None) -> Mapping[str, Any] | None:
    """None where none was named and there was no run."""
    if report is None and not results.last_of(manifest).is_file():
        return None
    return results.read(manifest, report)[1]


def pace_of(usage: Usage | None, last: pace.Pace | None, stored: pace.Pace | None) -> pace.Pace | None:
    """The last run's, else the stored one; of a GPU's profile, first one of a GPU."""
    known = [each for each in (last, stored) if each is not None]
    wanted = [each for each in known if each.on_gpu] if usage is not None and usage.on_device else known
    return next(iter((*wanted, *known)), None)


def stored_pace(manifest: Manifest | None, kernel: Kernel) -> pace.Pace | None:
    """By the first of the manifest's baselines that has it, GPUs before the CPU."""
    if manifest is None or not manifest.baselines:
        return None
    files = sorted((manifest.folder / manifest.baselines).glob("*.json"), key=lambda f: (f.stem == "cpu", f.name))
    stored = (baselines.read(file) for file in files)
    return next((found for each in stored if each and (found := pace.of_baseline(each, kernel))), None)
