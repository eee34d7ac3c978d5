"""
The whole truth of a run as JSON, against schemas/report.schema.json. Every other format is a view of it.

Text is as the repository or the worker said it, unescaped. Infinities are the strings "inf" and "-inf", since JSON has
no number for them. The order of everything is that of the manifest, or alphabetical, so that two reports can be diffed.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from kgate.model import (
    Arm,
    Baseline,
    Case,
    Comparison,
    CompiledKernel,
    Drill,
    Failure,
    Finding,
    Fingerprint,
    Kernel,
    Measurement,
    Outcome,
    Ownership,
    Place,
    Report,
    Run,
    Tensor,
)
from kgate.reports import _carried, _instrument, _pace, _standing, _terms
from kgate.reports._compile_inputs import compile_inputs
from kgate.reports._style import Style

NAME = "json"
FORMAT = 1  # raised when a reader of the old form would misread the new one


def render(report: Report, style: Style) -> str:
    text = json.dumps(finite(document(report)), allow_nan=False, indent=1, ensure_ascii=False) + "\n"
    # A path of this machine may hold bytes that are no text, which no file and no terminal would take.
    return text.encode("utf-8", "replace").decode("utf-8")


def document(report: Report) -> dict[str, Any]:
    run = report.run
    return {
        "format": FORMAT,
        "kgate": report.version,
        "verdict": report.verdict.value,
        "exit_code": report.verdict.exit_code.value,
        "manifest": report.manifest,
        "head": report.head,
        "base": report.base,
        "base_ran": run.base_ran,
        "drills_only": run.drills_only,
        "untouched": run.untouched and not run.terms.amendments,
        "device": run.device,
        "on_gpu": run.on_gpu,
        "sandbox": report.sandbox,
        "started": report.started,
        "wall_s": report.wall_s,
        "cost_s": dict(report.cost_s),
        "resumed": report.resumed,
        "key": report.key,
        "attempts": report.attempts,
        "command": report.command,
        "remarks": list(run.remarks),
        "fingerprint": fingerprint(run.fingerprint),
        "findings": [finding(f) for f in report.findings],
        "kernels": [kernel(run, k) for k in run.kernels.values()],
        "cases": [case(run, c) for c in run.cases],
        "carried": _carried.documents(run),
        "shift": _pace.shift(run.shift) if run.shift else None,
        "instrument": _instrument.document(run.instrument),
        "standing": _standing.document(run.standing),
        "terms": _terms.document(run.terms),
        "baseline": baseline(run.baseline) if run.baseline else None,
    }


def finite(value: Any) -> Any:
    """The same value with infinities as text; NaN, which no metric may hold, as well where a worker noted it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, str):
        # A lone surrogate, such as one from a file name that is not UTF-8, cannot be written.
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def fingerprint(found: Fingerprint) -> dict[str, Any]:
    return {name: dict(sorted(getattr(found, name).items())) for name in ("must_match", "may_drift", "information")}


def finding(found: Finding) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "level": found.level.name.lower(),
        "scope": found.scope.value,
        "name": found.name,
        "kernel": found.kernel,
        "blocks": found.blocks,
        "undecided": found.undecided,
        "pre_existing": found.pre_existing,
        "sentence": found.sentence,
        "evidence": dict(found.evidence),
        "advice": found.advice,
        "owners": list(found.owners),
        "place": place(found.place),
    }


def place(found: Place | None) -> dict[str, Any] | None:
    return {"path": found.path, "line": found.line} if found else None


def kernel(run: Run, declared: Kernel) -> dict[str, Any]:
    return {
        "name": declared.name,
        "dsl": declared.dsl,
        "dispatch": declared.dispatch,
        "custom": declared.custom,
        "fallback": declared.fallback,
        "reference": declared.reference,
        "production_operator": declared.production_operator,
        "in_base": declared.name in run.base_kernels,
        "place": place(declared.place),
        "ratios": [_pace.ratio(r) for r in run.paces.get(declared.name, ())],
        "ownership": ownership(run.ownership.get(declared.name, Ownership(owners=declared.owners))),
        "compile_inputs": compile_inputs(run, declared),
        "drills": [drill(run, d) for d in run.drills_of(declared.name)],
        "workloads": [
            {
                "name": w.name,
                "weight": w.weight,
                "source": w.source,
                "symbols": dict(w.symbols),
                "place": place(w.place),
            }
            for w in declared.workloads
        ],
    }


def drill(run: Run, planned: Drill) -> dict[str, Any]:
    """What came of it stands with the arm of this condition, at each of its cases."""
    return {
        "condition": planned.condition,
        "where": planned.where,
        "blocks": planned.blocks,
        "not_run": planned.not_run,
        "cases": [
            {
                "name": c.name,
                "path": run.path_taken(planned.arm, c) if run.answered(planned.arm, c) else "",
                "not_met": run.unmet(planned, c),
            }
            for c in planned.cases
        ],
    }


def ownership(found: Ownership) -> dict[str, Any]:
    return {
        "owners": list(found.owners),
        "codeowners": found.codeowners,
        "problem": found.problem,
        "without_effect": [{"place": place(at), "sentence": said} for at, said in found.without_effect],
        "write_access": {o: access(found, o) for o in dict.fromkeys((*found.owners, *found.asked))},
        "files": [
            {"path": path, "rule": rule and {"place": place(rule[0]), "pattern": rule[1], "owners": list(rule[2])}}
            for path, rule in sorted(found.files.items())
        ],
    }


def access(found: Ownership, owner: str) -> str:
    if owner not in found.access:
        return "not checked"
    return "yes" if found.access[owner] else "no"


def case(run: Run, expected: Case) -> dict[str, Any]:
    seen = {arm for arm, c in (*run.outcomes, *run.comparisons) if c == expected}
    return {
        "name": expected.name,
        "kernel": expected.kernel,
        "workload": expected.workload,
        "device": expected.device,
        "direction": expected.direction,
        "arms": [arm_of(run, arm, expected) for arm in sorted(seen, key=lambda a: a.name)],
        "latency": _pace.latency(run.latency[expected]) if expected in run.latency else None,
    }


def arm_of(run: Run, arm: Arm, expected: Case) -> dict[str, Any]:
    found = run.outcome(arm, expected)
    return {
        "arm": arm.name,
        "tree": arm.tree.value,
        "route": arm.route.value,
        "condition": arm.condition,
        "outcome": outcome(found) if found else None,
        "comparisons": [comparison(c) for c in run.comparisons.get((arm, expected), ())],
    }


def outcome(found: Outcome) -> dict[str, Any]:
    match found:
        case Measurement():
            return {
                "kind": "measurement",
                "outputs": [tensor(t) for t in found.outputs],
                "facts": dict(sorted(found.facts.items())),
                "rungs_ns": dict(found.rungs_ns),
                "compiled": [compiled(kernel) for kernel in found.compiled],
            }
        case Failure():
            return {
                "kind": "failure",
                "rung": found.rung,
                "reason": found.reason,
                "text": found.text,
                "detail": found.detail,
            }


def compiled(found: CompiledKernel) -> dict[str, Any]:
    """Without its files, as with a tensor's."""
    return {
        "kernel": found.kernel,
        "dsl": found.dsl,
        "arch": found.arch,
        "code_sha256": found.code_sha256,
        "registers": found.registers,
        "shared_bytes": found.shared_bytes,
        "local_bytes": found.local_bytes,
        "config": dict(sorted(found.config.items())),
        "compile_ns": found.compile_ns,
        "note": found.note,
    }


def tensor(found: Tensor) -> dict[str, Any]:
    """Without its path: the file is gone when the run is over."""
    return {
        "dtype": found.dtype,
        "shape": list(found.shape),
        "strides": list(found.strides),
        "device": found.device,
    }


def comparison(found: Comparison) -> dict[str, Any]:
    bound = found.bound
    limits = ("row_error", "relative_l2", "rtol", "atol", "psnr", "cosine")
    return {
        "output": found.output,
        "dtype": found.dtype,
        "shape": list(found.shape),
        "holds": found.holds,
        "mismatch": found.mismatch,
        "broken": list(found.broken),
        "accepts_zeros": found.accepts_zeros,
        "bound": {"source": bound.source, **{name: getattr(bound, name) for name in limits}},
        "metrics": [
            {"name": m.name, "value": m.value, "unit": m.unit, "direction": m.direction.value, "where": m.where}
            for m in found.metrics.values()
        ],
    }


def baseline(found: Baseline) -> dict[str, Any]:
    return {
        "path": found.path,
        "device": found.device,
        "method": found.method,
        "commit": found.commit,
        "date": found.date,
        "fingerprint": fingerprint(found.fingerprint),
        "cases": [
            {
                "name": name,
                "custom_ns": stored.custom_ns,
                "fallback_ns": stored.fallback_ns,
                "spread_log": stored.spread_log,
                "launches": stored.launches,
                "method": found.method_of(stored),
                "noise": _pace.noise(stored),
                "errors": [dict(errors) for errors in stored.errors],
            }
            for name, stored in sorted(found.cases.items())
        ],
    }
