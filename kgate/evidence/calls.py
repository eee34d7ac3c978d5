"""Which spans of a trace are calls of an operator, and where each lies: shapes, module, prefill or decode."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from kgate.evidence.rows import device_ns, started_ns, with_all_below
from kgate.evidence.spans import Kind, Sizes
from kgate.evidence.timeline import NONE, Timeline

PHASES = ("prefill", "decode")
DECODE_ROWS = 64
MODULE = "nn.Module: "  # how a trace recorded with with_stack=True names a module's call
OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """
    Patterns of names: of operators, ranges, frames or device kernels; and of a range or module that they have to lie
    within, "" for anywhere. Without a range named prefill or decode, calls of at most `decode_rows` rows are decode.
    """

    patterns: tuple[str, ...]
    within: str = ""
    decode_rows: int = DECODE_ROWS


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call, or one device kernel that no such call started."""

    name: str
    sizes: Sizes
    module: str  # "" where the trace has none
    phase: str
    ns: int


@dataclass(frozen=True, kw_only=True)
class Around:
    """
    Of each host span, itself or the nearest around it: the outermost match, and the names of module and phase.
    `wanted` are the names that match, of the host's and of the device's spans.
    """

    wanted: frozenset[int]
    match: Sequence[int]
    module: Sequence[int]
    phase: Sequence[int]
    inside: Sequence[int]


def calls_of(line: Timeline, asked: Asked, around: Around) -> Iterator[Call]:
    """Outermost matches only, so that no time counts twice; then matching device kernels that none of them started."""
    times = with_all_below(line, started_ns(line)) if line.on_device else line.duration_ns
    for n in range(len(line.name)):
        if around.match[n] == n and here(around, n, asked):
            yield call(line, around, n, line.name[n], times[n])
    for starter, name, ns in zip(line.starter, line.device_name, device_ns(line), strict=True):
        if match_of(around, starter) == NONE and name in around.wanted and here(around, starter, asked):
            yield call(line, around, starter, name, ns)


def device_spans_of(line: Timeline, asked: Asked, around: Around) -> Iterator[int]:
    """The device's spans whose time these calls are."""
    for n, (starter, name) in enumerate(zip(line.starter, line.device_name, strict=True)):
        match = match_of(around, starter)
        if (match != NONE or name in around.wanted) and here(around, starter if match == NONE else match, asked):
            yield n


def match_of(around: Around, starter: int) -> int:
    return NONE if starter == NONE else around.match[starter]


def here(around: Around, n: int, asked: Asked) -> bool:
    return not asked.within or (n != NONE and around.inside[n] != NONE)


def surroundings(line: Timeline, asked: Asked) -> Around:
    named, within = dict(enumerate(line.names)), asked.within
    wanted = frozenset(n for n, name in named.items() if any(fnmatchcase(name, p) for p in asked.patterns))
    modules = {n for n, name in named.items() if name.startswith(MODULE)}
    phases = {n for n, name in named.items() if phase_in(name)}
    insides = {n for n, name in named.items() if within and fnmatchcase(name.removeprefix(MODULE), within)}
    match, module, phase, inside = (array("q", bytes(8 * len(line.name))) for _ in range(4))
    for n, (name, parent, kind) in enumerate(zip(line.name, line.parent, line.kind, strict=True)):
        outer = [NONE] * 4 if parent == NONE else [column[parent] for column in (match, module, phase, inside)]
        match[n] = n if outer[0] == NONE and name in wanted and kind is not Kind.RUNTIME else outer[0]
        module[n] = name if name in modules else outer[1]
        phase[n] = name if name in phases and kind is Kind.RANGE else outer[2]
        inside[n] = name if name in insides and kind in (Kind.RANGE, Kind.FRAME) else outer[3]
    return Around(wanted=wanted, match=match, module=module, phase=phase, inside=inside)


def phase_in(name: str) -> str:
    return next((phase for phase in PHASES if phase in name.lower()), "")


def call(line: Timeline, around: Around, n: int, name: int, ns: int) -> Call:
    module = line.names[around.module[n]] if n != NONE and around.module[n] != NONE else ""
    phase = line.names[around.phase[n]] if n != NONE and around.phase[n] != NONE else ""
    return Call(
        name=line.names[name],
        sizes=line.sizes[line.size[n]] if n != NONE else (),
        module=module.removeprefix(MODULE),
        phase=phase_in(phase),
        ns=ns,
    )


def phased(calls: list[Call], line: Timeline, asked: Asked) -> tuple[list[Call], str]:
    """By the ranges around them if the trace has any of these names, else by their shapes if it has those."""
    ranges = {name for name, kind in zip(line.name, line.kind, strict=True) if kind is Kind.RANGE}
    if any(phase_in(line.names[name]) for name in ranges):
        return [replace(c, phase=c.phase or OTHER) for c in calls], "range"
    if any(c.sizes for c in calls):
        return [replace(c, phase=by_rows(c.sizes, asked.decode_rows)) for c in calls], "rows"
    return calls, ""


def by_rows(sizes: Sizes, decode_rows: int) -> str:
    """
    By the first tensor of two dimensions or more: M of [M, K], batch × tokens of [B, T, K] and of [B, heads, T, K].
    """
    first = next((size for size in sizes if len(size) > 1), None)
    if first is None:
        return OTHER
    rows = first[0] if len(first) == 2 else first[0] * first[-2]
    return "decode" if rows <= decode_rows else "prefill"
