"""What the processes of a run have left, joined: strictly read, since a program of any kind has written it."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kgate.captured import ArgSeen, Bounds, ListSeen, MapSeen, TensorSeen, spread
from kgate.wire import ProtocolError, build, parsed

FOLDER = "seen"
SIZE_LIMIT = 64 << 20  # bytes of one process's file
PROCESSES = 4096


@dataclass(frozen=True, kw_only=True)
class Counts:
    """One signature, with the bounds of its tensors by path: names and places behind dots."""

    calls: int
    args: dict[str, ArgSeen]
    bounds: dict[str, Bounds]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Of one entry point. `note`: why nothing, or not all, was recorded."""

    entry: str
    folded: int
    note: str
    signatures: tuple[Counts, ...]

    @property
    def calls(self) -> int:
        return self.folded + sum(counts.calls for counts in self.signatures)


@dataclass(frozen=True, kw_only=True)
class Left:
    entries: tuple[Seen, ...]


def seen(folder: Path) -> Mapping[str, Seen]:
    """By entry point, of all processes; a file that is not as kgate writes it is passed over."""
    found: dict[str, Seen] = {}
    for path in sorted((folder / FOLDER).glob("*.json"))[:PROCESSES]:
        for each in left_in(path):
            known = found.get(each.entry)
            found[each.entry] = joined(known, each) if known else each
    return {entry: with_bounds(each) for entry, each in found.items()}


def left_in(path: Path) -> tuple[Seen, ...]:
    try:
        if path.stat().st_size > SIZE_LIMIT:
            return ()
        return build(Left, parsed(path.read_bytes()), path.name).entries
    except (OSError, ProtocolError):
        return ()


def joined(one: Seen, other: Seen) -> Seen:
    counts: dict[str, Counts] = {}
    for each in (*one.signatures, *other.signatures):
        key = json.dumps({name: dataclasses.asdict(value) for name, value in each.args.items()})
        known = counts.get(key)
        counts[key] = together(known, each) if known else each
    return Seen(
        entry=one.entry,
        folded=one.folded + other.folded,
        note=one.note or other.note,
        signatures=tuple(counts.values()),
    )


def together(one: Counts, other: Counts) -> Counts:
    paths = {**one.bounds, **other.bounds}
    known = {path: [(c.calls, c.bounds[path]) for c in (one, other) if path in c.bounds] for path in paths}
    bounds = {path: spread(parts) for path, parts in known.items()}
    return Counts(calls=one.calls + other.calls, args=one.args, bounds=bounds)


def with_bounds(found: Seen) -> Seen:
    """Each signature once (a call by name and one by position are the same), with the bounds in their tensors."""
    once = joined(found, dataclasses.replace(found, folded=0, signatures=()))
    placed = [
        dataclasses.replace(c, args={n: bounded(v, n, c.bounds) for n, v in c.args.items()}) for c in once.signatures
    ]
    return dataclasses.replace(once, signatures=tuple(placed))


def bounded(value: ArgSeen, path: str, bounds: Mapping[str, Bounds]) -> ArgSeen:
    match value:
        case TensorSeen():
            return dataclasses.replace(value, bounds=bounds.get(path))
        case ListSeen():
            return ListSeen(items=tuple(bounded(v, f"{path}.{n}", bounds) for n, v in enumerate(value.items)))
        case MapSeen():
            return MapSeen(fields={n: bounded(v, f"{path}.{n}", bounds) for n, v in value.fields.items()})
    return value
