"""Small traces by hand, in the form that torch writes (torch 2.11 with Kineto): events of host and of device."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgate.evidence.calls import Asked
from kgate.evidence.spans import spans
from kgate.evidence.timeline import Timeline, timeline
from kgate.evidence.usage import Usage, usage

Event = dict[str, Any]


def host(name: str, ts: float, dur: float, *, cat: str = "cpu_op", tid: int = 1, **args: Any) -> Event:
    """Microseconds, as in a trace."""
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur, "args": args}


def operator(name: str, ts: float, dur: float, dims: Sequence[Any] = (), external: int = 0) -> Event:
    return host(name, ts, dur, **{"Input Dims": list(dims), "External id": external})


def kernel(name: str, ts: float, dur: float, *, external: int = 0, correlation: int = 0) -> Event:
    args = {"External id": external, "correlation": correlation, "stream": 7, "device": 0}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": args}


def written(folder: Path, events: Sequence[Event], name: str = "trace.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": list(events), "traceName": "t"}))
    return path


def lined(folder: Path, *events: Event) -> Timeline:
    return timeline(spans(written(folder, events)))


def used(folder: Path, events: Sequence[Event], *patterns: str, **asked: Any) -> Usage:
    return usage(lined(folder, *events), Asked(patterns=patterns, **asked))
