"""Several captures of one kernel as one: calls of one signature together, with the bounds of all of them."""

from collections.abc import Sequence
from dataclasses import replace

from kgate.captured import ArgSeen, CallSeen, EntrySeen, ListSeen, MapSeen, TensorSeen, spread


def together(first: EntrySeen, *others: EntrySeen) -> EntrySeen:
    """All of the same function."""
    entries = (first, *others)
    counted: dict[str, CallSeen] = {}
    for call in (call for each in entries for call in each.workloads):
        signature = repr([(name, bare(value)) for name, value in sorted(call.args.items())])
        known = counted.get(signature)
        counted[signature] = added(known, call) if known else call
    return EntrySeen(
        entry=first.entry,
        calls=sum(each.calls for each in entries),
        workloads=tuple(counted.values()),
        folded=sum(each.folded for each in entries),
    )


def bare(value: ArgSeen) -> ArgSeen:
    """Without bounds, which do not tell signatures apart."""
    match value:
        case TensorSeen():
            return replace(value, bounds=None)
        case ListSeen():
            return ListSeen(items=tuple(map(bare, value.items)))
        case MapSeen():
            return MapSeen(fields={name: bare(inner) for name, inner in sorted(value.fields.items())})
    return value


def added(one: CallSeen, other: CallSeen) -> CallSeen:
    weights = (one.weight, other.weight)
    args = {name: blended((value, other.args[name]), weights) for name, value in one.args.items()}
    return CallSeen(weight=sum(weights), args=args)


def blended(pair: tuple[ArgSeen, ArgSeen], weights: Sequence[int]) -> ArgSeen:
    """Of two that are alike but for their bounds."""
    match pair:
        case TensorSeen() as one, TensorSeen() as other:
            known = [(w, v.bounds) for w, v in zip(weights, (one, other), strict=True) if v.bounds is not None]
            return replace(one, bounds=spread(known) if known else None)
        case ListSeen() as items, ListSeen() as others:
            pairs = zip(items.items, others.items, strict=True)
            return ListSeen(items=tuple(blended(inner, weights) for inner in pairs))
        case MapSeen() as fields, MapSeen() as more:
            return MapSeen(fields={n: blended((v, more.fields[n]), weights) for n, v in fields.fields.items()})
    return pair[0]
