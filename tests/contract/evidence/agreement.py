"""How far kgate's reading of a trace is from torch's own table, in percentage points of share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.evidence.rows import Row, device_rows, host_rows
from kgate.evidence.spans import spans
from kgate.evidence.timeline import timeline

POINTS = 0.1  # what shares may differ by


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Of one row: `points` is the largest of its shares' differences; calls as kgate and as torch counts them."""

    name: str
    points: float
    calls: tuple[int, int]


def differences(folder: Path) -> list[Difference]:
    """Every row of table.json, host then device; a row that kgate lacks has 0 calls."""
    line = timeline(spans(folder / "trace.json"))
    table = json.loads((folder / "table.json").read_text())
    host = [row for row in table if row["host"]]
    device = [row for row in table if not row["host"] and not row["range"]]
    return [*compared(host_rows(line), host, "self_us"), *compared(device_rows(line), device, "device_self_us")]


def compared(found: Mapping[str, Row], table: list[dict[str, Any]], whole: str) -> list[Difference]:
    """`whole` is the field whose sum torch's table takes as 100 %."""
    theirs, ours = sum(row[whole] for row in table), sum(row.self_ns for row in found.values())
    nothing = Row(name="", calls=0, self_ns=0, total_ns=0)
    compared = []
    for row in table:
        mine = found.get(row["name"], nothing)
        total = "total_us" if whole == "self_us" else "device_total_us"
        pairs = ((mine.self_ns, row[whole]), (mine.total_ns, row[total]))
        points = max(abs(100 * ns / max(1, ours) - 100 * us / max(1e-9, theirs)) for ns, us in pairs)
        compared.append(Difference(name=row["name"], points=points, calls=(mine.calls, row["calls"])))
    return compared
