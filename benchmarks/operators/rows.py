"""The rows of benchmarks/gallery.py: a file that parent and children share, and the table made of it."""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any


def rows_file(arguments: argparse.Namespace) -> Path:
    return Path(arguments.out) / "rows.jsonl"


def read_rows(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """What children wrote, in order; a case that was begun and never ended gets a row that says so."""
    if not rows_file(arguments).is_file():
        return []
    lines = [json.loads(line) for line in rows_file(arguments).read_text().splitlines()]
    ended = {row["key"] for row in lines if "begun" not in row}
    lost = [{**row, "note": "the process died or hung here"} for row in lines if row["key"] not in ended]
    return [row for row in lines if "begun" not in row] + lost


def write(arguments: argparse.Namespace, row: dict[str, Any]) -> None:
    with rows_file(arguments).open("a") as file:
        file.write(json.dumps(row) + "\n")
    if "begun" not in row:
        print(" ".join(cell for cell in cells(row) if cell), flush=True)


def failed(row: dict[str, Any]) -> bool:
    """Whether one of our kernels is wrong, raised or was not reached; a rival or a schedule that fails is no fault."""
    return bool(row.get("note")) and ("ours_ns" in row or "against" not in row)


def table(rows: list[dict[str, Any]]) -> str:
    heads = ("operator", "dsl", "case", "against", "torch ms", "ours ms", "ratio", "rate", "error", "n", "")
    lines = [heads, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    noted = sum(1 for row in rows if row.get("note"))
    return "\n".join(["", *text, f"{len(rows)} rows, {noted} of them with a note"])


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    names = (row["operator"], row["dsl"], row["case"], row.get("against", ""))
    error = f"{row['error']:.1e}" if "error" in row else ""
    if "ours_ns" not in row:
        return (*names, "", "", "", "", error, "", row.get("note", ""))
    ours, theirs = statistics.median(row["ours_ns"]), statistics.median(row["torch_ns"])
    rate = (
        f"{row['flops'] / ours / 1e3:.0f} TFLOP/s"
        if row["bound"] == "flops"
        else f"{row['bytes'] / ours / 1e3:.2f} TB/s"
    )
    figures = (
        f"{theirs / 1e6:.4f}",
        f"{ours / 1e6:.4f}",
        f"{theirs / ours:.3f}",
        rate,
        error,
        str(len(row["ours_ns"])),
    )
    return (*names, *figures, row.get("note", ""))
