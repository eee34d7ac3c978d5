"""Which way a value has gone. None of a limit means that it is not asked for, which is the loosest it can be."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from kgate.model import Kind

# Of several parts of one value the first of these speaks for all.
WORST: tuple[Kind, ...] = ("removed", "loosened", "moved", "tightened", "added", "renamed")


def larger_loosens(before: float | None, after: float | None) -> Kind | None:
    if before == after:
        return None
    if before is None or after is None:
        return "tightened" if before is None else "loosened"
    return "loosened" if after > before else "tightened"


def smaller_loosens(before: float | None, after: float | None) -> Kind | None:
    if before is None or after is None or before == after:
        return larger_loosens(before, after)
    return "loosened" if after < before else "tightened"


def flag(before: bool, after: bool) -> Kind | None:
    """Of a promise that is kept or not."""
    return smaller_loosens(float(before), float(after))


def changed(before: Any, after: Any) -> Kind | None:
    """Of what has no order."""
    return None if before == after else "moved"


def presence(before: Any, after: Any) -> Kind | None:
    """Of what may be absent, and is asked for where it is not."""
    if before == after:
        return None
    if not before or not after:
        return "added" if not before else "removed"
    return "moved"


def members(before: Iterable[str], after: Iterable[str]) -> Kind | None:
    """Of a set that asks for more the larger it is."""
    old, new = set(before), set(after)
    if old == new:
        return None
    if new < old:
        return "removed"
    return "added" if old < new else "moved"


def exceptions(before: Iterable[str], after: Iterable[str]) -> Kind | None:
    """Of a set that asks for less the larger it is."""
    turned: dict[Kind | None, Kind] = {"removed": "tightened", "added": "loosened"}
    kind = members(before, after)
    return turned.get(kind, kind)


def until(before: str, after: str) -> Kind | None:
    """Of a day on which an exception ends, as YYYY-MM-DD; what is no date ends never."""
    return larger_loosens(ordinal(before), ordinal(after)) if before != after else None


def ordinal(day: str) -> int | None:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return None


def worst(kinds: Iterable[Kind | None]) -> Kind | None:
    found = set(kinds)
    return next((kind for kind in WORST if kind in found), None)
