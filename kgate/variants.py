"""
What kgate asks besides the manifest's workloads, made from each of them by one change: sizes beside the usual ones,
layouts, scales, ties, masks. Production will send them one day, and a kernel that answers none of them refuses.

Every change is made on a small copy of the workload, which is asked as well, so that what passes stands beside what
does not. Integers are never drawn otherwise than the manifest says: an index may only be what it says it is.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from kgate.errors import ManifestError
from kgate.model import Case, Variant, Workload
from kgate.protocol import Arg, Fill, ListArg, MapArg, TensorArg, tensors_within

SMALL_BYTES = 256 << 10  # of the copy's arguments: a call on it takes well under a millisecond
MOST_BYTES = 4 << 20  # of any variant's arguments
GROWTH = 8  # of one size: what takes its square must still fit
FIRST, FURTHER = 48, 12  # variants of a kernel's first workload of each kind of argument, and of others like it
LENGTHS = 3  # sizes that are varied, largest first
TILE, SCALE_BLOCK = 16, 64
PAD = 8  # elements between the rows of a slice
# The lowest score that kernels take for minus infinity, seen in one; and what float16 still holds.
FAR = -6.0e4
FLOATS: Mapping[str, float] = {  # the largest number
    "float64": math.inf,
    "float32": 3.4e38,
    "bfloat16": 3.4e38,
    "float16": 65504.0,
}

Changed = tuple[str, str, Workload]  # kind, change, what it comes to


def variants(kernel: str, device: str, workloads: Iterable[Workload]) -> Iterator[Variant]:
    """All of one kernel's, in an order that brings what is most often wrong first."""
    seen: list[object] = []
    known: set[object] = set()
    for workload in workloads:
        kind = tuple((t.dtype, len(t.shape), t.strides) for t in tensors_within(workload.args.values()))
        most = FURTHER if kind in seen else FIRST
        seen.append(kind)
        of = Case(kernel=kernel, workload=workload.name, device=device)
        fresh = (c for c in changes(workload) if new(c[2], known))
        for what, change, made in islice(fresh, most):
            name = f"{workload.name}~{change.replace(' ', '')}"
            yield Variant(of=of, kind=what, change=change, workload=replace(made, name=name, weight=0.0))


def new(workload: Workload, known: set[object]) -> bool:
    """Whether no workload like it has come before; which values are drawn does not count."""
    found = repr([without_stream(arg) for arg in workload.args.values()])
    if found in known:
        return False
    known.add(found)
    return True


def without_stream(arg: Arg) -> object:
    match arg:
        case TensorArg():
            return replace(arg, stream=0)
        case ListArg():
            return [without_stream(item) for item in arg.items]
        case MapArg():
            return {key: without_stream(item) for key, item in arg.items.items()}
    return arg


def changes(workload: Workload) -> Iterator[Changed]:
    if not shapes(workload):
        return
    small, sizes = shrunk(workload)
    ways = [
        [("small", "small", small)],
        list(lengths(small, sizes)),
        list(layouts(small)),
        list(values(small)),
    ]
    # In turns, so that a budget that ends too soon has seen some of each.
    while any(ways):
        for way in ways:
            yield from (way.pop(0) for _ in range(2) if way)


def size_bytes(workload: Workload) -> int:
    width = {"64": 8, "32": 4, "16": 2}
    return sum(
        math.prod(t.shape) * next((n for end, n in width.items() if end in t.dtype), 1)
        for t in tensors_within(workload.args.values())
    )


@dataclass(frozen=True, kw_only=True)
class Length:
    """A size that may be another: the symbol that the manifest gives it, or itself where it stands as a number."""

    name: str
    value: int
    at: Callable[[Workload, int], Workload | None]


def lengths_of(workload: Workload) -> list[Length]:
    """The largest first."""
    found = []
    named: set[int] = set()
    for name, value in workload.symbols.items():
        if type(value) is int and value > 0 and moves(workload, resized(workload, {name: value + 1})):
            found.append(Length(name=name, value=value, at=partial_symbol(name)))
            named.add(value)
    for size in {n for t in tensors_within(workload.args.values()) for n in t.shape if n > 1} - named:
        # Only what no symbol moves: a number that the manifest has written down.
        found.append(Length(name=f"size {size}", value=size, at=partial_number(size)))
    return sorted(found, key=lambda length: -length.value)


def partial_symbol(name: str) -> Callable[[Workload, int], Workload | None]:
    return lambda workload, value: resized(workload, {name: value})


def partial_number(size: int) -> Callable[[Workload, int], Workload | None]:
    def at(workload: Workload, value: int) -> Workload | None:
        def other(tensor: TensorArg) -> TensorArg:
            bound = tensor.fill
            if bound.kind == "integers" and bound.b == size:
                bound = replace(bound, b=float(max(value, 1)))
            shape = tuple(value if n == size else n for n in tensor.shape)
            return replace(tensor, shape=shape, fill=bound)

        if any(t.strides is not None for t in tensors_within(workload.args.values())):
            return None
        return with_tensors(workload, other)

    return at


def resized(workload: Workload, symbols: Mapping[str, int]) -> Workload | None:
    """None where the manifest makes no sense of these sizes."""
    if workload.resized is None:
        return None
    try:
        return workload.resized({**workload.symbols, **symbols})
    except ManifestError:
        return None


def moves(one: Workload, other: Workload | None) -> bool:
    return other is not None and shapes(one) != shapes(other)


def shapes(workload: Workload) -> list[tuple[int, ...]]:
    return [t.shape for t in tensors_within(workload.args.values())]


def shrunk(workload: Workload) -> tuple[Workload, list[Length]]:
    """The largest sizes halved, again and again, until all arguments together are small."""
    small, sizes = workload, lengths_of(workload)
    while size_bytes(small) > SMALL_BYTES:
        longest = next((s for s in sizes if s.value > 1), None)
        halved = longest.at(small, longest.value // 2) if longest else None
        if longest is None or halved is None:
            break
        small = halved
        sizes = lengths_of(small)
    return small, sizes


def lengths(small: Workload, sizes: list[Length]) -> Iterator[Changed]:
    """One size after the other: beside a tile's width, half a tile over, odd, one, none, and many."""
    chosen = [(size, [n for n in beside(size.value) if n != size.value]) for size in sizes[:LENGTHS]]
    for turn in range(max((len(values) for _, values in chosen), default=0)):
        for size, values in chosen:
            made = size.at(small, values[turn]) if turn < len(values) else None
            if made is not None and size_bytes(made) <= MOST_BYTES:
                yield size.name, f"{size.name} = {values[turn]}", made


def beside(value: int) -> list[int]:
    tiles = max(value // TILE, 1) * TILE
    blocks = max(value // (2 * SCALE_BLOCK), 1) * 2 * SCALE_BLOCK
    wanted = [value + 1, tiles + TILE // 2, 0, value - 1, blocks + SCALE_BLOCK, 1, prime_below(value), tiles + TILE]
    return list(dict.fromkeys(n for n in (*wanted, GROWTH * value + 1) if n >= 0))


def prime_below(value: int) -> int:
    return next((n for n in range(value - 1, 1, -1) if all(n % d for d in range(2, math.isqrt(n) + 1))), 2)


def layouts(small: Workload) -> Iterator[Changed]:
    """Rows with room between them, columns first, one row for all; of arguments whose layout is left to kgate."""
    for name, tensor in named_tensors(small):
        *outer, last = tensor.shape or (0,)
        if tensor.strides is not None or math.prod(tensor.shape) < 2:
            continue
        rows = steps((*outer, last + PAD)) if outer else (2,)
        yield f"layout of {name}", f"{name} sliced", one_changed(small, name, {"strides": rows})
        if outer and last > 1 and outer[-1] > 1:
            *far, near = outer
            columns = (*steps((*far, last, near))[: len(far)], 1, near)
            yield f"layout of {name}", f"{name} transposed", one_changed(small, name, {"strides": columns})
    for name, tensor in named_tensors(small):
        if tensor.strides is None and len(tensor.shape) > 1 and tensor.shape[0] > 1 and not tensor.fixed:
            expanded = (0, *steps(tensor.shape[1:]))
            yield f"layout of {name}", f"{name} expanded", one_changed(small, name, {"strides": expanded})


def steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in C order."""
    return tuple(math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))


def values(small: Workload) -> Iterator[Changed]:
    """Small and large, far from zero, all alike; masks that hide all or nothing."""
    floats = [name for name, t in named_tensors(small) if t.dtype in FLOATS and t.fill.kind in ("normal", "uniform")]
    absolute = any(tolerance.atol for tolerance in small.tolerance.values())
    for factor in () if absolute else (1e-3, 1e3):
        yield from scaled(small, floats, factor)
    for name in [] if absolute else floats[:LENGTHS]:
        tensor = dict(named_tensors(small))[name]
        if tensor.dtype != "float64" and tensor.scale:
            far = Fill(kind="normal", a=FAR, b=abs(tensor.scale), table=tensor.fill.table)
            if tensor.fill.kind == "normal":
                yield f"values of {name}", f"{name} near {FAR:g}", one_changed(small, name, {"fill": far, "scale": 1.0})
    if floats:
        alike = Fill(kind="constant", a=1.0)
        changed = small
        for name in floats:
            changed = one_changed(changed, name, {"fill": alike, "scale": 1.0, "zeros": 0.0, "fixed": True})
        yield "equal values", "all floats 1", changed
    for name, tensor in named_tensors(small):
        if tensor.dtype == "bool" and tensor.fill.kind == "mask":
            for share, word in ((1.0, "true"), (0.0, "false")):
                yield (
                    f"mask {name}",
                    f"{name} all {word}",
                    one_changed(small, name, {"fill": Fill(kind="mask", a=share)}),
                )


def scaled(small: Workload, floats: list[str], factor: float) -> Iterator[Changed]:
    changed = small
    for name, tensor in named_tensors(small):
        largest = 5 * (abs(tensor.fill.a) + abs(tensor.fill.b)) * abs(tensor.scale * factor)
        if name in floats and largest < FLOATS[tensor.dtype]:
            changed = one_changed(changed, name, {"scale": tensor.scale * factor})
    if changed is not small:
        yield f"scale {factor:g}", f"floats x {factor:g}", changed


def named_tensors(workload: Workload) -> list[tuple[str, TensorArg]]:
    """Those that are arguments themselves."""
    return [(name, arg) for name, arg in workload.args.items() if isinstance(arg, TensorArg)]


def one_changed(workload: Workload, name: str, fields: Mapping[str, object]) -> Workload:
    arg = workload.args[name]
    assert isinstance(arg, TensorArg)
    return replace(workload, args={**workload.args, name: replace(arg, **fields)})  # type: ignore[arg-type]


def with_tensors(workload: Workload, other: Callable[[TensorArg], TensorArg]) -> Workload:
    def made(arg: Arg) -> Arg:
        match arg:
            case TensorArg():
                return other(arg)
            case ListArg():
                return ListArg(items=tuple(made(item) for item in arg.items))
            case MapArg():
                return MapArg(items={key: made(item) for key, item in arg.items.items()})
        return arg

    before = workload.resized
    again = None if before is None else (lambda symbols: with_tensors(before(symbols), other))
    return replace(workload, args={name: made(arg) for name, arg in workload.args.items()}, resized=again)
