"""
Outcomes, comparisons and times as JSON, for the ledger, and back. Paths stay absolute: the ledger lies beside them.

Reading raises ProtocolError for anything that writing would not have made. Infinities travel as text, since JSON has
none.
"""

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

from kgate.model import (
    Bound,
    Comparison,
    CompiledKernel,
    Direction,
    Failure,
    LaunchTiming,
    Measurement,
    Metric,
    Outcome,
    Tensor,
)
from kgate.runner.ledger import JSON
from kgate.wire import ProtocolError, build, coerce

Fact = str | int | float | bool | list[str] | dict[str, str]
Infinite = Literal["inf", "-inf"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class TensorRecord:
    path: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompiledRecord:
    kernel: str
    dsl: str
    arch: str
    code_sha256: str
    registers: int | None
    shared_bytes: int | None
    local_bytes: int | None
    config: dict[str, str]
    compile_ns: int | None
    files: dict[str, str]
    note: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeasurementRecord:
    outputs: tuple[TensorRecord, ...]
    facts: dict[str, Fact]
    rungs_ns: dict[str, int]
    compiled: tuple[CompiledRecord, ...]
    later: dict[str, tuple[TensorRecord, ...]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MetricRecord:
    name: str
    value: float | Infinite
    unit: str
    direction: Literal["lower", "higher", "neither"]
    where: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class ComparisonRecord:
    output: int
    dtype: str
    shape: tuple[int, ...]
    metrics: dict[str, MetricRecord]
    bound: dict[str, str | float | Infinite | None]
    mismatch: str
    broken: tuple[str, ...]
    accepts_zeros: bool
    accepts: tuple[str, ...] = ()
    beyond: str = ""
    finite: bool = True


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimingRecord:
    launch: int
    samples_ns: dict[str, tuple[float, ...]]
    call_ns: dict[str, tuple[float, ...]]
    method: str
    notes: dict[str, str | int | float]


def outcome_to_json(outcome: Outcome) -> JSON:
    return {type(outcome).__name__: plain(dataclasses.asdict(outcome))}


def outcome_from_json(value: JSON) -> Outcome:
    match value:
        case {"Failure": body}:
            return build(Failure, body, "failure")
        case {"Measurement": body}:
            return measurement_of(build(MeasurementRecord, body, "measurement"))
    raise ProtocolError(f"outcome: {str(value)[:60]!r} is neither Measurement nor Failure")


def measurement_of(record: MeasurementRecord) -> Measurement:
    compiled = tuple(
        CompiledKernel(**{**vars(c), "files": {kind: Path(path) for kind, path in c.files.items()}})
        for c in record.compiled
    )
    return Measurement(
        outputs=tensors_of(record.outputs),
        facts=record.facts,
        rungs_ns=record.rungs_ns,
        compiled=compiled,
        later={moment: tensors_of(tensors) for moment, tensors in record.later.items()},
    )


def tensors_of(records: tuple[TensorRecord, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(**{**vars(t), "path": Path(t.path)}) for t in records)


def comparisons_to_json(comparisons: tuple[Comparison, ...]) -> JSON:
    return [plain(dataclasses.asdict(c)) for c in comparisons]


def comparisons_from_json(value: JSON) -> tuple[Comparison, ...]:
    return tuple(comparison_of(r) for r in coerce(tuple[ComparisonRecord, ...], value, "comparisons"))


def comparison_of(record: ComparisonRecord) -> Comparison:
    metrics = {
        name: Metric(**{**vars(m), "value": float(m.value), "direction": Direction(m.direction)})
        for name, m in record.metrics.items()
    }
    bound = {name: float(v) if v in ("inf", "-inf") else v for name, v in record.bound.items()}
    return Comparison(**{**vars(record), "metrics": metrics, "bound": build(Bound, bound, "bound")})


def timing_to_json(timing: LaunchTiming) -> JSON:
    return plain(dataclasses.asdict(timing))


def timing_from_json(value: JSON) -> LaunchTiming:
    return LaunchTiming(**vars(build(TimingRecord, value, "timing")))


def launch_to_json(timing: LaunchTiming | None, failures: Mapping[str, Failure], void: str = "") -> JSON:
    """
    One case in one launch: its times, if any arm got through, and by arm name what failed in the timed loop. `void`:
    why there are no times though nothing failed.
    """
    return {
        "void": void,
        "timing": timing_to_json(timing) if timing else None,
        "failures": {name: outcome_to_json(failure) for name, failure in failures.items()},
    }


def launch_from_json(value: JSON) -> tuple[LaunchTiming | None, dict[str, Failure], str]:
    match value:
        case {"timing": timing, "failures": dict(failures), "void": str(void)}:
            read = {name: outcome_from_json(failure) for name, failure in failures.items()}
            kept = {name: failure for name, failure in read.items() if isinstance(failure, Failure)}
            return (None if timing is None else timing_from_json(timing)), kept, void
    raise ProtocolError(f"launch: {str(value)[:60]!r} is no launch")


def plain(value: Any) -> JSON:
    """Enums as their values, paths as text, tuples as lists, infinities as text, functions as null."""
    match value:
        case dict():
            return {str(k): plain(v) for k, v in value.items()}
        case tuple() | list():
            return [plain(v) for v in value]
        case Direction():
            return value.value
        case Path():
            return str(value)
        case float() if math.isinf(value):
            return str(value)
        case FunctionType():
            return None
    return value
