"""
Spans put in order: which host span lies within which, and which of them started what ran on the device.

Columns instead of objects: a trace of 300 MB has a million spans.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kgate.evidence.spans import SOMEWHERE, Kind, Sizes, Span

NONE = -1  # in place of a span's number


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """
    Host spans by number, those of a thread together and each after the one that it lies within (`parent`, or NONE).
    Device spans by number in the file's order; `starter` is the host span that started each, or NONE.

    `names` and `sizes` hold each name and each tuple of sizes once; spans refer to them by place.
    """

    names: Sequence[str]
    sizes: Sequence[Sizes]
    kind: Sequence[Kind]
    name: Sequence[int]
    size: Sequence[int]
    duration_ns: Sequence[int]
    parent: Sequence[int]
    device_name: Sequence[int]
    device_start_ns: Sequence[int]
    device_end_ns: Sequence[int]
    starter: Sequence[int]

    @property
    def on_device(self) -> bool:
        return bool(self.device_name)


@dataclass(kw_only=True)
class Table:
    """Values in the order in which they came first."""

    places: dict[object, int] = field(default_factory=dict)

    def place(self, value: object) -> int:
        return self.places.setdefault(value, len(self.places))


def longs() -> "array[int]":
    return array("q")


@dataclass(kw_only=True)
class Columns:
    """Of spans as they come, host or device."""

    kind: list[Kind] = field(default_factory=list)
    name: "array[int]" = field(default_factory=longs)
    size: "array[int]" = field(default_factory=longs)
    thread: "array[int]" = field(default_factory=longs)
    start_ns: "array[int]" = field(default_factory=longs)
    end_ns: "array[int]" = field(default_factory=longs)
    external: "array[int]" = field(default_factory=longs)
    correlation: "array[int]" = field(default_factory=longs)

    def put(self, span: Span, name: int, size: int, thread: int) -> None:
        self.kind.append(span.kind)
        values = (name, size, thread, span.start_ns, span.end_ns, span.external, span.correlation)
        columns = (self.name, self.size, self.thread, self.start_ns, self.end_ns, self.external, self.correlation)
        for column, value in zip(columns, values, strict=True):
            column.append(value)


def timeline(spans: Iterable[Span]) -> Timeline:
    names, sizes, threads = Table(), Table(), Table()
    host, device = Columns(), Columns()
    for span in spans:
        columns = device if span.kind is Kind.DEVICE else host
        columns.put(span, names.place(span.name), sizes.place(span.sizes), threads.place(span.thread))
    settle(host, threads.places.get(SOMEWHERE))
    order = in_order(host, range(len(host.name)))
    parent = list(parents(host, order))
    return Timeline(
        names=[str(name) for name in names.places],
        sizes=[s for s in sizes.places if isinstance(s, tuple)],
        kind=[host.kind[n] for n in order],
        name=array("q", (host.name[n] for n in order)),
        size=array("q", (host.size[n] for n in order)),
        duration_ns=array("q", (host.end_ns[n] - host.start_ns[n] for n in order)),
        parent=array("q", parent),
        device_name=device.name,
        device_start_ns=device.start_ns,
        device_end_ns=device.end_ns,
        starter=array("q", starters(host, order, parent, device)),
    )


def in_order(host: Columns, chosen: Iterable[int]) -> list[int]:
    """Thread by thread, and each span before those that it may hold."""
    return sorted(chosen, key=lambda n: (host.thread[n], host.start_ns[n], -host.end_ns[n]))


def settle(host: Columns, somewhere: object) -> None:
    """
    Gives the profiler's own spans, of thread `somewhere`, to the thread that they held up: the one whose innermost span
    around them began last. Torch's table takes their time from that span, and knows the thread, which no trace tells.
    """
    strays = [n for n in range(len(host.name)) if host.thread[n] == somewhere]
    if not strays:
        return
    order = in_order(host, (n for n in range(len(host.name)) if host.thread[n] != somewhere))
    parent = list(parents(host, order))
    begun = [(host.thread[n], host.start_ns[n]) for n in order]
    threads = sorted({thread for thread, _ in begun})
    for stray in strays:
        last = ((bisect_right(begun, (thread, host.start_ns[stray])) - 1, thread) for thread in threads)
        mine = (place for place, thread in last if place != NONE and begun[place][0] == thread)
        around = [found for place in mine if (found := enclosing(host, order, parent, place, stray)) != NONE]
        if around:
            host.thread[stray] = host.thread[order[max(around, key=lambda place: host.start_ns[order[place]])]]


def enclosing(host: Columns, order: Sequence[int], parent: Sequence[int], place: int, stray: int) -> int:
    """The innermost span around the stray one, from the span at `place` outwards; NONE if there is none."""
    while place != NONE and host.end_ns[order[place]] < host.end_ns[stray]:
        place = parent[place]
    return place


def parents(host: Columns, order: Sequence[int]) -> Iterator[int]:
    """
    Of each host span in this order, the place of the innermost one of its thread that holds all of it.

    As torch nests them (profiler_util.py, _populate_cpu_children): a span that only overlaps another is not within it.
    """
    around: list[int] = []  # places, each within the one before
    for place, n in enumerate(order):
        while around and not holds(host, order[around[-1]], n):
            around.pop()
        yield around[-1] if around else NONE
        around.append(place)


def holds(host: Columns, outer: int, inner: int) -> bool:
    return (
        host.thread[outer] == host.thread[inner]
        and host.start_ns[inner] < host.end_ns[outer]
        and host.end_ns[inner] <= host.end_ns[outer]
    )


def starters(host: Columns, order: Sequence[int], parent: Sequence[int], device: Columns) -> Iterator[int]:
    """
    By the number that an operator shares with all it starts, as torch's table has it. What a CUDA graph replays has no
    such number, and is whoever's made the runtime's call.
    """
    operators: dict[int, int] = {}
    calls: dict[int, int] = {}
    for place, n in enumerate(order):
        if host.kind[n] in (Kind.OPERATOR, Kind.RANGE) and host.external[n]:
            operators[host.external[n]] = place
        elif host.kind[n] is Kind.RUNTIME and host.correlation[n]:
            calls[host.correlation[n]] = parent[place]
    for external, correlation in zip(device.external, device.correlation, strict=True):
        yield operators.get(external, calls.get(correlation, NONE))
