"""How much of a trace is one operator's: share, calls, and by operator, shape, module and phase."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgate.evidence.calls import OTHER, Asked, Call, calls_of, device_spans_of, phased, surroundings
from kgate.evidence.rows import device_ns, own_ns
from kgate.evidence.spans import Sizes
from kgate.evidence.timeline import Timeline

FEW = 8  # shapes that a kernel can be tuned for one by one
LARGEST = 20  # groups of a kind
WORD = re.compile(r"(aten::)?[A-Za-z_][A-Za-z0-9_.]*")


@dataclass(frozen=True, kw_only=True)
class Group:
    name: str
    calls: int
    ns: int


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """
    `few_ns`: of the time, what goes to the FEW shapes of each operator that take the most; `unknown_ns`: what goes to
    calls of which no shapes are recorded.
    """

    distinct: int
    few_ns: int
    unknown_ns: int


@dataclass(frozen=True, kw_only=True)
class Usage:
    """
    Times on the device where the trace has any, else on the host. `whole_ns` is what torch's table takes as 100 %.
    Of the device, `elapsed_ns` is from its first span to its last, `busy_ns` of that when anything ran, and
    `used_busy_ns` when any of the operator's spans ran; what ran side by side counts once.
    Groups beyond LARGEST are not among them. `phases_by` is "range", "rows" or "", where neither tells phases apart.
    """

    on_device: bool
    whole_ns: int
    used_ns: int
    calls: int
    by_operator: tuple[Group, ...]
    by_shape: tuple[Group, ...]  # "aten::addmm 64×512, 512×512"
    by_module: tuple[Group, ...]
    by_phase: tuple[Group, ...]
    phases_by: str
    shapes: Shapes | None  # None where none is recorded
    elapsed_ns: int = 0
    busy_ns: int = 0
    used_busy_ns: int

    @property
    def share(self) -> float:
        return self.used_ns / self.whole_ns if self.whole_ns else 0.0

    @property
    def busy(self) -> float:
        """The share of the elapsed time in which the device worked; 1 for a trace of the host alone."""
        return self.busy_ns / self.elapsed_ns if self.elapsed_ns else 1.0


def names_of(operator: str) -> tuple[str, ...]:
    """What torch calls the parts of a `production_operator`: "torch.addmm + gelu" is aten::addmm and aten::gelu."""
    words = [part.strip() for part in re.split(r"[+,]", operator)]
    return tuple(f"aten::{re.split('[.:]', word)[-1]}" for word in words if WORD.fullmatch(word))


def usage(line: Timeline, asked: Asked) -> Usage:
    around = surroundings(line, asked)
    calls, phases_by = phased(list(calls_of(line, asked, around)), line, asked)
    recorded = any(call.sizes for call in calls)
    elapsed_ns, busy_ns = occupied(line.device_start_ns, line.device_end_ns)
    return Usage(
        on_device=line.on_device,
        whole_ns=sum(device_ns(line)) if line.on_device else sum(own_ns(line)),
        used_ns=sum(call.ns for call in calls),
        calls=len(calls),
        by_operator=grouped((call.name, call) for call in calls),
        by_shape=grouped((f"{call.name} {shown(call.sizes)}", call) for call in calls) if recorded else (),
        by_module=grouped((call.module or OTHER, call) for call in calls) if any(c.module for c in calls) else (),
        by_phase=grouped((call.phase, call) for call in calls) if phases_by else (),
        phases_by=phases_by,
        shapes=shapes_of(calls) if recorded else None,
        elapsed_ns=elapsed_ns,
        busy_ns=busy_ns,
        used_busy_ns=covered(line, device_spans_of(line, asked, around)),
    )


def covered(line: Timeline, spans: Iterable[int]) -> int:
    chosen = list(spans)
    starts, ends = ([column[n] for n in chosen] for column in (line.device_start_ns, line.device_end_ns))
    return occupied(starts, ends)[1]


def grouped(calls: Iterable[tuple[str, Call]]) -> tuple[Group, ...]:
    """By name, the one that takes the most time first."""
    sums: dict[str, list[int]] = {}
    for name, each in calls:
        found = sums.setdefault(name, [0, 0])
        found[0] += 1
        found[1] += each.ns
    groups = (Group(name=name, calls=number, ns=ns) for name, (number, ns) in sums.items())
    return tuple(sorted(groups, key=lambda group: (-group.ns, group.name))[:LARGEST])


def shapes_of(calls: Iterable[Call]) -> Shapes:
    times: dict[str, Counter[Sizes]] = {}
    unknown = 0
    for each in calls:
        if each.sizes:
            times.setdefault(each.name, Counter())[each.sizes] += each.ns
        else:
            unknown += each.ns
    few = sum(ns for shapes in times.values() for _, ns in shapes.most_common(FEW))
    return Shapes(distinct=sum(map(len, times.values())), few_ns=few, unknown_ns=unknown)


def shown(sizes: Sizes) -> str:
    return ", ".join("×".join(map(str, size)) for size in sizes)


def occupied(starts: Sequence[int], ends: Sequence[int]) -> tuple[int, int]:
    """From the first start to the last end, and how much of that is covered by any of the spans, in ns."""
    busy, reached = 0, 0
    spans = sorted(zip(starts, ends, strict=True))
    for start, end in spans:
        begin = max(start, reached)
        busy += max(0, end - begin)
        reached = max(reached, end)
    return (reached - spans[0][0] if spans else 0), busy
