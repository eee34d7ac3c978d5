"""What the profiler saw a call launch, in order: name, grid, block, shared memory. It sees no argument's value."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST, LETTERS = 1000, 900  # launches of one call that are told at all, and how much of each
SIZES = ("grid", "block", "shared memory", "registers per thread")


def of(profile: Any) -> list[str]:
    """Empty where the profiler does not tell all of it, or a call launches very many."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        try:
            profile.export_chrome_trace(str(path))
            return launches(json.loads(path.read_bytes()))
        except (OSError, ValueError, RuntimeError):
            return []


def launches(trace: Mapping[str, Any]) -> list[str]:
    """
    Of a trace in Chrome's format, as torch's profiler writes it: kernels, copies and fills by their beginning. Memory
    that a copy moves is told by its size.
    """
    kinds = ("kernel", "gpu_memcpy", "gpu_memset")
    found = sorted((e for e in trace.get("traceEvents", ()) if e.get("cat") in kinds), key=lambda e: float(e["ts"]))
    told = []
    for event in found:
        sizes = event.get("args", {})
        wanted = SIZES if event["cat"] == "kernel" else ("bytes",)
        if any(name not in sizes for name in wanted):
            return []
        told.append(f"{event['name']} {json.dumps([sizes[name] for name in wanted])}")
    return [] if len(told) > MOST or any(len(text) > LETTERS for text in told) else told
