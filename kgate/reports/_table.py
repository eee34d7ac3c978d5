"""The cases as a table of a terminal's width: kernels as headings, numbers never cut, names only at their end."""

from kgate.reports._cells import HEADERS, Row

GAP = "  "
INDENT = 2  # of a workload below its kernel


def drawn(rows: list[Row], width: int) -> list[str]:
    """A workload's name that does not fit beside its numbers stands on a line above them."""
    first, *others = HEADERS
    widths = [max(map(len, column)) for column in zip(others, *(row.cells for row in rows), strict=True)]
    spare = width - sum(widths) - len(GAP) * len(widths)
    room = max(len(first), min(spare, INDENT + max(len(row.workload) for row in rows)))
    lines = [line(first, tuple(others), room, widths), GAP.join("-" * size for size in (room, *widths))]
    kernel = None
    for row in rows:
        if row.kernel != kernel:
            lines.append(elided(row.kernel, width))
        kernel = row.kernel
        lines += case_lines(row, room, widths, width)
    return lines


def case_lines(row: Row, room: int, widths: list[int], width: int) -> list[str]:
    name = " " * INDENT + row.workload
    if len(name) <= room:
        return [line(name, row.cells, room, widths)]
    return [elided(name, width), line("", row.cells, room, widths)]


def line(name: str, cells: tuple[str, ...], room: int, widths: list[int]) -> str:
    """Numbers to the right, the status to the left."""
    *numbers, status = cells
    padded = [number.rjust(size) for number, size in zip(numbers, widths, strict=False)]
    return GAP.join((name.ljust(room), *padded, status)).rstrip()


def elided(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"
