"""Which sizes a workload has, small copies of it, and what stands beside a size."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from kgate.errors import ManifestError
from kgate.model import Refusal, Workload
from kgate.protocol import TensorArg, tensors_within
from kgate.variants._changed import with_tensors

SMALL_BYTES = 256 << 10  # of the copy's arguments: a call on it takes well under a millisecond
MOST_BYTES = 4 << 20  # of any variant's arguments
GROWTH = 8  # of one size: what takes its square must still fit
LENGTHS = 3  # sizes that are varied, largest first
TILE, SCALE_BLOCK = 16, 64

BOUNDED = ("integers", "sorted", "distinct", "rising", "pages", "offsets")  # fills that a size may bound

Changed = tuple[str, str, Workload]  # kind, change, what it comes to


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
            if bound.kind in BOUNDED and bound.b == size:
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


def shrunk(workload: Workload, refuses: Callable[[Workload], Refusal | None]) -> tuple[Workload, list[Length]]:
    """
    The largest sizes halved, again and again, until all arguments together are small. What the manifest says is refused
    is no copy of a workload that is answered: there the next smaller size is halved.
    """
    small, sizes = workload, lengths_of(workload)
    while size_bytes(small) > SMALL_BYTES:
        copies = (size.at(small, size.value // 2) for size in sizes if size.value > 1)
        halved = next((made for made in copies if made is None or not refuses(made)), None)
        if halved is None:
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
