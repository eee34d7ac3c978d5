"""The trace as torch's own table has it: a row for each name, with calls, own time and time with all below."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgate.evidence.timeline import NONE, Timeline


@dataclass(frozen=True, kw_only=True)
class Row:
    """
    Of one name on the host, or of one kernel on the device. Own times of all rows are the whole; `total_ns` counts a
    name within itself again, as torch does. Of the host, `device_self_ns` and `device_total_ns` are what it started.
    """

    name: str
    calls: int
    self_ns: int
    total_ns: int
    device_self_ns: int = 0
    device_total_ns: int = 0


def host_rows(line: Timeline) -> Mapping[str, Row]:
    """`key_averages()` of the host: `self_ns` over the sum of them all is its "Self CPU %"."""
    own, started = own_ns(line), started_ns(line)
    below = with_all_below(line, started)
    doubled = doubles(line)
    sums: dict[int, list[int]] = {}
    for n, name in enumerate(line.name):
        row = sums.setdefault(name, [0, 0, 0, 0, 0])
        row[1] += own[n]
        row[3] += started[n]
        if not doubled[n]:
            row[0] += 1
            row[2] += line.duration_ns[n]
            row[4] += below[n]
    return {
        line.names[name]: Row(
            name=line.names[name], calls=c, self_ns=s, total_ns=t, device_self_ns=ds, device_total_ns=dt
        )
        for name, (c, s, t, ds, dt) in sums.items()
    }


def device_rows(line: Timeline) -> Mapping[str, Row]:
    """`key_averages()` of the device: kernels, copies and fills by name."""
    sums: dict[int, list[int]] = {}
    for name, ns in zip(line.device_name, device_ns(line), strict=True):
        row = sums.setdefault(name, [0, 0])
        row[0] += 1
        row[1] += ns
    return {
        line.names[name]: Row(name=line.names[name], calls=calls, self_ns=ns, total_ns=ns)
        for name, (calls, ns) in sums.items()
    }


def device_ns(line: Timeline) -> Iterator[int]:
    return (end - start for start, end in zip(line.device_start_ns, line.device_end_ns, strict=True))


def own_ns(line: Timeline) -> Sequence[int]:
    """Of each host span, what is left without the spans directly within it."""
    own = array("q", line.duration_ns)
    for n, parent in enumerate(line.parent):
        if parent != NONE:
            own[parent] -= line.duration_ns[n]
    return own


def started_ns(line: Timeline) -> Sequence[int]:
    """Of each host span, the device's time that it started itself."""
    started = array("q", bytes(8 * len(line.name)))
    for starter, ns in zip(line.starter, device_ns(line), strict=True):
        if starter != NONE:
            started[starter] += ns
    return started


def with_all_below(line: Timeline, values: Sequence[int]) -> Sequence[int]:
    """A value of each host span plus those of all within it; a span comes after the one that it lies within."""
    sums = array("q", values)
    for n in range(len(line.name) - 1, -1, -1):
        if line.parent[n] != NONE:
            sums[line.parent[n]] += sums[n]
    return sums


def doubles(line: Timeline) -> Sequence[bool]:
    """
    Whether a host span is the only one within another of its own name: torch's table has both as one call
    (profiler_util.py, _remove_dup_nodes).
    """
    within = array("q", bytes(8 * len(line.name)))
    for parent in line.parent:
        if parent != NONE:
            within[parent] += 1
    return [
        parent != NONE and within[parent] == 1 and line.name[n] == line.name[parent]
        for n, parent in enumerate(line.parent)
    ]
