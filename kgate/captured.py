"""
What a run really called, as a file: `kgate capture` writes it, `kgate init --from-capture` reads it.

YAML, so that it can be read in review: which shapes, dtypes, strides and scalars, how often, and between which bounds
the elements lay; never a tensor's values.
"""

import dataclasses
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from kgate.errors import UsageError
from kgate.wire import ProtocolError, build

VERSION = 1
HEAD = "# What a run really called. Written by `kgate capture`; `kgate init --from-capture` makes workloads of it.\n"


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Of the finite elements that were looked at; `std` is their standard deviation."""

    low: float
    high: float
    mean: float
    std: float


def spread(parts: Sequence[tuple[int, Bounds]]) -> Bounds:
    """Of all together; mean and deviation by the calls that each stands for."""
    weights = [max(1, calls) for calls, _ in parts]
    bounds = [each for _, each in parts]
    mean = average(weights, [b.mean for b in bounds])
    variance = average(weights, [b.std**2 + (b.mean - mean) ** 2 for b in bounds])
    low, high = min(b.low for b in bounds), max(b.high for b in bounds)
    return Bounds(low=low, high=high, mean=mean, std=math.sqrt(variance))


def average(weights: Sequence[int], values: Sequence[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


@dataclass(frozen=True, kw_only=True)
class TensorSeen:
    """`strides` in elements, None where contiguous; `bounds` None where they were not to be had."""

    shape: tuple[int, ...]
    dtype: str
    device: str
    strides: tuple[int, ...] | None = None
    bounds: Bounds | None = None


@dataclass(frozen=True, kw_only=True)
class ScalarSeen:
    value: bool | int | float | str | None


@dataclass(frozen=True, kw_only=True)
class ListSeen:
    items: "tuple[ArgSeen, ...]"


@dataclass(frozen=True, kw_only=True)
class MapSeen:
    fields: "dict[str, ArgSeen]"


@dataclass(frozen=True, kw_only=True)
class OtherSeen:
    """An argument that no manifest can write down, by its type."""

    type: str


ArgSeen = Union[TensorSeen, ScalarSeen, ListSeen, MapSeen, OtherSeen]  # noqa: UP007  names that come later


@dataclass(frozen=True, kw_only=True)
class CallSeen:
    """Calls of one signature; `weight` is their number."""

    weight: int
    args: dict[str, ArgSeen]


@dataclass(frozen=True, kw_only=True)
class EntrySeen:
    """`entry` is the function that was watched; `folded` calls had signatures beyond those kept."""

    entry: str
    calls: int
    workloads: tuple[CallSeen, ...]
    folded: int = 0


@dataclass(frozen=True, kw_only=True)
class Captured:
    """`source` is what each workload's `source` will be; kernels by name."""

    version: int
    source: str
    kernels: dict[str, EntrySeen]


def read(path: Path) -> Captured:
    """Raises UsageError for a file that is not a capture."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        body = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
        found = build(Captured, body, "capture")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); `kgate capture` writes one") from error
    except (UnicodeDecodeError, YAMLError, ProtocolError) as error:
        said = " ".join(str(error).split())[:160]
        raise UsageError(f"{path}: not a capture ({said}); `kgate capture` writes one") from error
    if found.version != VERSION:
        raise UsageError(f"{path}: of format {found.version}, and this kgate reads {VERSION}; capture again")
    return found


def text(found: Captured) -> str:
    """A workload a line or two, the most called first."""
    stream = io.StringIO()
    writer().dump(shaped(dataclasses.asdict(found)), stream)
    return HEAD + stream.getvalue()


def writer() -> Any:
    """Of YAML as manifests are written: no wrapping within an argument, two blanks a level."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.allow_unicode = True
    yaml.representer.add_representer(type(None), lambda r, _: r.represent_scalar("tag:yaml.org,2002:null", "null"))
    return yaml


def shaped(body: Mapping[str, Any]) -> Any:
    for kernel in body["kernels"].values():
        for workload in kernel["workloads"]:
            workload["args"] = {name: flow(value) for name, value in workload["args"].items()}
    return body


def flow(value: Any) -> Any:
    """On one line, between braces; what is None or empty by default is left out."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    made: Any
    if isinstance(value, Mapping):
        made = CommentedMap({k: flow(v) for k, v in value.items() if not (v is None and k in ("strides", "bounds"))})
    elif isinstance(value, Sequence) and not isinstance(value, str):
        made = CommentedSeq(flow(v) for v in value)
    else:
        return value
    made.fa.set_flow_style()
    return made
