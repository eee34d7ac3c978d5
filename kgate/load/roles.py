"""What whole numbers of the manifest mean: indices, offsets, pages; and how such are drawn so that they stay valid."""

import math
from collections.abc import Callable, Mapping

from kgate.load.document import Fields, Mark
from kgate.load.draws import DISTRIBUTIONS, INTEGERS, SPAN_LIMIT, Parameters, Symbols, fits
from kgate.protocol import Fill

DRAWN_LIMIT = 1 << 24  # numbers that distinct ones are chosen from, in all rows together
OTHERS = (*DISTRIBUTIONS, "scale", "zeros")

Shape = tuple[int, ...]


def role_of(tensor: Fields) -> str:
    return next(iter(tensor.fields("role")), "")


def fill(tensor: Fields, dtype: str, shape: Shape, symbols: Symbols) -> Fill:
    """Of a tensor with a role. Raises ManifestError."""
    (name,) = tensor["role"]
    mark = tensor["role"].marks[name]
    if other := next((field for field in OTHERS if field in tensor), ""):
        raise tensor.marks[other].error(f"{other!r} and the role {name!r} both say which values there are; keep one")
    if dtype not in INTEGERS:
        raise mark.error(f"{name!r} is a role of whole numbers, and the tensor is {dtype}; write int64 or int32")
    given = Parameters(given=tensor["role"][name], symbols=symbols, at=mark)
    drawn = ROLES[name](given, shape)
    highest = drawn.b if drawn.kind == "offsets" else drawn.b - 1
    fits(Fill(kind="constant", a=max(highest, 0.0)), dtype, mark)
    return drawn


def index(given: Parameters, shape: Shape) -> Fill:
    size = positive(given, "size")
    if size > SPAN_LIMIT:
        raise given.mark("size").error(f"{size} is more than 2**32; write a smaller size")
    unique, rising = bool(given.given.get("unique", False)), bool(given.given.get("sorted", False))
    if unique:
        row = shape[-1] if shape else 1
        rows = math.prod(shape) // row if row else 0
        chosen(given.mark("size"), row, size, rows * size)
        return Fill(kind="rising" if rising else "distinct", b=float(size))
    return Fill(kind="sorted" if rising else "integers", b=float(size))


def offsets(given: Parameters, shape: Shape) -> Fill:
    total, row = given.whole("total", 0), shape[-1] if shape else 1
    if total < 0 or total >= SPAN_LIMIT:
        raise given.mark("total").error(f"{total} is not from 0 to 2**32 - 1; write one that is")
    if row < 2 and total:
        sentence = f"{row} offsets cannot rise from 0 to {total}; give the tensor one more than there are groups"
        raise given.mark("total").error(sentence)
    return Fill(kind="offsets", b=float(total))


def page_table(given: Parameters, shape: Shape) -> Fill:
    pages = positive(given, "pages")
    chosen(given.mark("pages"), math.prod(shape), pages, pages)
    return Fill(kind="pages", b=float(pages))


ROLES: Mapping[str, Callable[[Parameters, Shape], Fill]] = {
    "index": index,
    "offsets": offsets,
    "page_table": page_table,
}


def positive(given: Parameters, name: str) -> int:
    value = given.whole(name, 0)
    if value < 1:
        raise given.mark(name).error(f"{value} is less than 1; write 1 or more")
    return value


def chosen(mark: Mark, wanted: int, size: int, drawn: int) -> None:
    """Refuse more distinct numbers than there are, or than can be chosen from in a moment."""
    if wanted > size:
        raise mark.error(f"{wanted} distinct numbers cannot be chosen from {size}; write a larger number")
    if drawn > DRAWN_LIMIT:
        raise mark.error(f"distinct numbers are chosen from {drawn} in all rows, at most 2**24; write a smaller number")
