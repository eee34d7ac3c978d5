"""
What a run called, as a manifest has it: what varies between calls becomes a symbol, bounds become distributions.

    calls -> forms -> the most called form: arguments with symbols -> a workload for each call, others spelt out
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgate.captured import ArgSeen, CallSeen, EntrySeen, ListSeen, MapSeen, OtherSeen, ScalarSeen, TensorSeen
from kgate.drafting.arguments import node, spelt
from kgate.drafting.symbols import Symbols
from kgate.load.draws import DTYPES

MOST = 12  # workloads of a kernel; a gate runs each of them for minutes in all


@dataclass(frozen=True, kw_only=True)
class Draft:
    """`args` and `workloads` as YAML has them; `notes` say what is left out, and why."""

    args: Mapping[str, Any]
    workloads: Mapping[str, Mapping[str, Any]]
    targets: tuple[str, ...]
    notes: tuple[str, ...] = ()


def draft(seen: EntrySeen, source: str, most: int = MOST) -> Draft:
    calls, notes = writable(seen, most)
    if not calls:
        return Draft(args={}, workloads={}, targets=(), notes=tuple(notes))
    shape = form(calls[0].args)
    alike = [call for call in calls if form(call.args) == shape]
    # Text that is a symbol's name would stand for its value.
    texts = {text for call in calls for value in call.args.values() for text in texts_in(value)}
    symbols = Symbols(len(alike), taken={*calls[0].args, *texts})
    args = {name: node([call.args[name] for call in alike], name, symbols) for name in calls[0].args}
    values = iter(symbols.values())
    workloads: dict[str, Mapping[str, Any]] = {}
    for number, call in enumerate(calls, 1):
        own: Mapping[str, Any] = next(values) if form(call.args) == shape else {}
        alone = {} if form(call.args) == shape else {"args": {n: spelt(v, n) for n, v in call.args.items()}}
        name = named(own, number, workloads)
        workloads[name] = {**own, **alone, "weight": call.weight, "source": "same" if workloads else source}
    return Draft(args=args, workloads=workloads, targets=targets(calls), notes=tuple(notes))


def texts_in(value: ArgSeen) -> list[str]:
    match value:
        case ScalarSeen():
            return [value.value] if isinstance(value.value, str) else []
        case ListSeen():
            return [text for inner in value.items for text in texts_in(inner)]
        case MapSeen():
            return [text for inner in value.fields.values() for text in texts_in(inner)]
    return []


def most_called(seen: EntrySeen, most: int) -> list[CallSeen]:
    """The signatures that a manifest can write down, by calls; at most so many."""
    calls = [call for call in seen.workloads if not any(unwritable(v, n) for n, v in call.args.items())]
    return sorted(calls, key=lambda call: -call.weight)[:most]


def writable(seen: EntrySeen, most: int) -> tuple[list[CallSeen], list[str]]:
    """And notes on what is left out."""
    calls, notes = most_called(seen, most), []
    odd = {what for call in seen.workloads for name, value in call.args.items() for what in unwritable(value, name)}
    if odd:
        notes.append(f"cannot be written down, give them by `setup`: {', '.join(sorted(odd))}")
    left = seen.calls - sum(call.weight for call in calls)
    if left:
        notes.append(f"{left} of {seen.calls} calls had other signatures than the {len(calls)} that are kept")
    return calls, notes


def unwritable(value: ArgSeen, name: str) -> list[str]:
    match value:
        case OtherSeen():
            return [f"{name} of type {value.type}"]
        case TensorSeen() if value.dtype not in DTYPES:
            return [f"{name} of dtype {value.dtype}"]
        case ListSeen():
            return [what for n, inner in enumerate(value.items) for what in unwritable(inner, f"{name}.{n}")]
        case MapSeen():
            return [what for n, inner in value.fields.items() for what in unwritable(inner, f"{name}.{n}")]
    return []


def form(value: Any) -> Any:
    """What has to be equal so that one text with symbols can stand for several calls: kinds, dimensions, dtypes."""
    match value:
        case TensorSeen():
            return ("tensor", len(value.shape), value.dtype)
        case ScalarSeen() if isinstance(value.value, bool) or value.value is None:
            return ("scalar", value.value)
        case ScalarSeen():
            return ("text",) if isinstance(value.value, str) else ("number",)
        case ListSeen():
            return ("list", *map(form, value.items))
        case MapSeen():
            return ("map", *((name, form(inner)) for name, inner in value.fields.items()))
        case dict():
            return tuple((name, form(inner)) for name, inner in value.items())
    return ("other",)


def targets(calls: Sequence[CallSeen]) -> tuple[str, ...]:
    devices = {device for call in calls for value in call.args.values() for device in devices_in(value)}
    return tuple(target for target in ("cuda", "cpu") if target in devices) or ("cpu",)


def devices_in(value: ArgSeen) -> list[str]:
    match value:
        case TensorSeen():
            return [value.device]
        case ListSeen():
            return [device for inner in value.items for device in devices_in(inner)]
        case MapSeen():
            return [device for inner in value.fields.values() for device in devices_in(inner)]
    return []


def named(own: Mapping[str, Any], number: int, taken: Mapping[str, Any]) -> str:
    """`N33-M128` by up to three whole numbers, else by its place."""
    sizes = [f"{symbol}{value}" for symbol, value in own.items() if isinstance(value, int)]
    name = "-".join(sizes) if 0 < len(sizes) <= 3 else f"call{number}"
    return name if name not in taken else f"{name}-{number}"
