"""A compilation for people and for programs. What a repository or a worker said is escaped for a terminal."""

import dataclasses
import json
import textwrap
from collections.abc import Iterator

from tabulate import tabulate

from kgate import __version__
from kgate.compilation import Compilation
from kgate.compilation.rows import Row, Status
from kgate.escape import plain
from kgate.figures import count, time_of

HEADERS = ("arch", "device kernel", "workloads", "compile", "registers", "shared", "spills", "")
ALIGNED = ("left", "left", "right", "right", "right", "right", "right", "left")
LEGEND = (
    "compile: once, of the slowest of its workloads; registers: a thread; shared: bytes a block; spills: bytes of "
    "local memory a thread, for what found no register; cached: known from an earlier run, with nothing changed since"
)
NAMES = 3  # workloads named where something is wrong with them
WIDTH = 100
FORMAT = 1  # of the JSON, see schemas/compile.schema.json


def text(found: Compilation) -> str:
    """The verdict first, then what does not compile, then one table."""
    lines = [*wrapped(f"kgate: {found.verdict.value}: {headline(found)}"), plain(found.manifest)]
    for status, title in ((Status.FAILED, "DOES NOT COMPILE"), (Status.NOT_RUN, "NOT RUN")):
        rows = [row for row in found.rows if row.status is status]
        if rows:
            lines += ["", title, *(line for row in rows for line in said(row))]
    if any(row.status is Status.COMPILED for row in found.rows):
        lines += ["", *table(found), "", *wrapped(LEGEND)]
    lines += [line for name, why in found.left_out.items() for line in wrapped(f"left out: {plain(name)}, {why}")]
    return "\n".join([*lines, f"cost: {found.wall_s:.1f} s"]) + "\n"


def headline(found: Compilation) -> str:
    by_status = {status: [row for row in found.rows if row.status is status] for status in Status}
    compiled, cached = by_status[Status.COMPILED], [row for row in by_status[Status.COMPILED] if row.cached]
    kernels = count(len({row.kernel for row in found.rows}), "kernel")
    parts = [f"{count(len(compiled), 'variant')} of {kernels} compiled for {', '.join(found.architectures)}"]
    parts += [f"{len(cached)} of them known from an earlier run"] if cached else []
    for status, word in ((Status.FAILED, "does not compile"), (Status.NOT_RUN, "not run")):
        units = {(row.kernel, row.arch) for row in by_status[status]}
        parts += [f"{word}: {count(len(units), 'kernel')} × architecture"] if units else []
    return ", ".join(parts)


def said(row: Row) -> Iterator[str]:
    """One reason, with where it holds."""
    variant = f" {plain(row.device_kernel)}" if row.device_kernel else ""
    names = ", ".join(plain(name) for name in row.workloads[:NAMES])
    more = f" and {len(row.workloads) - NAMES} more" if len(row.workloads) > NAMES else ""
    yield from wrapped(f"{plain(row.kernel)} {row.arch}{variant} ({names}{more})", "  ")
    yield from wrapped(f"{'not run: ' if row.status is Status.NOT_RUN else ''}{plain(row.text)}", "      ")


def table(found: Compilation) -> Iterator[str]:
    """Kernels as headings, a line for each variant of theirs."""
    rows = [row for row in found.rows if row.status is Status.COMPILED]
    drawn = tabulate(
        [cells(row) for row in rows], headers=HEADERS, colalign=ALIGNED, disable_numparse=True, tablefmt="simple"
    )
    header, ruler, *lines = drawn.splitlines()
    yield from (f"  {header}".rstrip(), f"  {ruler}")
    kernel = None
    for row, line in zip(rows, lines, strict=True):
        if row.kernel != kernel:
            yield plain(row.kernel)
        kernel = row.kernel
        yield f"  {line}".rstrip()


def cells(row: Row) -> tuple[str, ...]:
    return (
        row.arch,
        plain(row.device_kernel, 48),
        str(len(row.workloads)),
        "?" if row.compile_ns is None else time_of(row.compile_ns),
        number(row.registers),
        number(row.shared_bytes),
        number(row.local_bytes),
        "cached" if row.cached else "",
    )


def number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def wrapped(line: str, indent: str = "") -> list[str]:
    further = indent + "  "
    return textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False) or [""]


def document(found: Compilation) -> str:
    """JSON; numbers that a compiler does not tell are null."""
    return (
        json.dumps(
            {
                "format": FORMAT,
                "kgate": __version__,
                "verdict": found.verdict.value,
                "exit_code": int(found.verdict.exit_code),
                "manifest": found.manifest,
                "architectures": list(found.architectures),
                "rows": [{**dataclasses.asdict(row), "config": dict(row.config)} for row in found.rows],
                "left_out": dict(found.left_out),
                "wall_s": found.wall_s,
            },
            indent=2,
        )
        + "\n"
    )


FORMATS = {"text": text, "json": document}
