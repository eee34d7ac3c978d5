"""Workloads: what they change of the kernel's arguments, and what a grid makes of them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kgate.load.arguments import Binding, argument, is_tensor
from kgate.load.document import Fields, Items
from kgate.load.draws import DISTRIBUTIONS, Symbols, number
from kgate.load.expressions import names_in
from kgate.load.form import check
from kgate.load.hints import closest, nearest
from kgate.load.refusals import fitting
from kgate.load.tolerances import tolerances
from kgate.model import Place, Workload

FIELDS = ("weight", "source", "seed", "args", "grid", "targets", "tolerance")
SAME = "same"
GRID_LIMIT = 4096  # workloads of one grid
DEFAULT_TARGETS = ("cuda",)
# Ways to say one thing: naming another one in a workload replaces what the kernel says.
ALTERNATIVES = ((*DISTRIBUTIONS, "role"), ("strides", "layout"))


@dataclass(frozen=True, kw_only=True)
class Family:
    """A kernel as its workloads see it."""

    name: str
    given: Fields

    @property
    def args(self) -> Fields:
        return self.given.fields("kwargs" if "kwargs" in self.given else "args")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry under `workloads`, with the kernel's arguments as it changes them."""

    family: Family
    given: Fields
    args: Fields
    source: str


def workloads(family: Family) -> tuple[Workload, ...]:
    """All workloads of a kernel, grids multiplied out, in the order written."""
    found: list[Workload] = []
    for name, given in family.given.fields("workloads").items():
        source = str(given.get("source", ""))
        if source == SAME:
            if not found:
                raise given.marks["source"].error(
                    "'same' repeats the workload before; name the source of this first one"
                )
            source = found[-1].source
        entry = Entry(family=family, given=given, args=merged_args(family, given), source=source)
        found += [workload(entry, symbols) for symbols in bindings(name, given)]
        check_symbols(entry)
    return tuple(found)


def workload(entry: Entry, symbols: Symbols) -> Workload:
    family, given, name = entry.family, entry.given, symbols.workload
    binding = Binding(key=f"{family.name}/{name}", seed=int(given.get("seed", 0)), symbols=symbols)
    tolerance = given.fields("tolerance") or family.given.fields("tolerance")
    args = {key: argument(value, mark, key, binding) for key, value, mark in entry.args.marked()}
    return Workload(
        name=name,
        args=args,
        symbols=dict(symbols),
        targets=tuple(given.get("targets") or family.given.get("targets") or DEFAULT_TARGETS),
        tolerance=tolerances(tolerance),
        weight=float(given.get("weight", 1)),
        source=entry.source,
        flops=quantity(family, "flops", symbols),
        moved_bytes=quantity(family, "bytes", symbols),
        place=Place(path=given.at.file, line=given.at.line),
        refusal=fitting(family.given, symbols, args),
        resized=lambda other: workload(entry, Symbols(name, other, given.at)),
    )


def bindings(name: str, given: Fields) -> Iterator[Symbols]:
    """The symbols of each workload that `given` makes: one, or the product of its grid's lists."""
    own = {key: value for key, value in given.items() if key not in FIELDS}
    grid = given.fields("grid")
    for key, _, at in grid.marked():
        if key in own or key in FIELDS:
            other = "a symbol of the workload too" if key in own else "a field of a workload"
            raise at.error(f"{key!r} is {other}; keep one, or rename it")
    if not grid:
        yield Symbols(name, own, given.at)
        return
    count = 1
    for values in grid.values():
        count *= len(values)
    if count > GRID_LIMIT:
        raise grid.at.error(f"makes {count} workloads, more than {GRID_LIMIT}; shorten its lists")
    for chosen in itertools.product(*grid.values()):
        point = dict(zip(grid, chosen, strict=True))
        yield Symbols(f"{name}/{','.join(f'{k}={v}' for k, v in point.items())}", {**own, **point}, given.at)


def merged_args(family: Family, given: Fields) -> Fields:
    """The kernel's arguments with this workload's changes, held against the schema again. Order is the kernel's."""
    changes = given.fields("args")
    if family.args:
        for key, _, mark in changes.marked():
            if key not in family.args:
                raise mark.error(f"{key!r} is not an argument of {family.name}{nearest(key, family.args)}")
    merged: Fields = merge(family.args, changes)
    for _, value, mark in merged.marked():
        check(value, mark, "argument")
    return merged


def merge(base: Any, change: Any) -> Any:
    """
    `change` laid over `base`, key by key where both are mappings, else in place of it.

    In a tensor, naming another distribution or layout drops the old one.
    """
    if not isinstance(base, Fields) or not isinstance(change, Fields):
        return change
    dropped: set[str] = set()
    if is_tensor(base):
        for names in ALTERNATIVES:
            if not change.keys().isdisjoint(names):
                dropped |= set(names) - change.keys()
    merged = Fields(base.at)
    for key, value, mark in base.marked():
        if key not in dropped:
            merged.put(key, value, mark)
    for key, value, mark in change.marked():
        merged.put(key, merge(merged.get(key), value), mark)
    return merged


def quantity(family: Family, name: str, symbols: Symbols) -> float | None:
    if name not in family.given:
        return None
    mark = family.given.marks[name]
    value = number(family.given[name], symbols, mark)
    if value < 0:
        raise symbols.error(mark, f"{family.given[name]!r} is {value}, less than 0; mend it")
    return float(value)


def check_symbols(entry: Entry) -> None:
    """
    Refuse a symbol that nothing uses: a typing error would be silent.

    Not with `setup`, which is given every symbol. What the kernel's own arguments use is used, also where this workload
    replaces them.
    """
    family = entry.family
    if "setup" in family.given:
        return
    written = (entry.args, family.args, family.given.get("flops"), family.given.get("bytes"))
    names = {name for value in written for text in texts(value) for name in names_in(text)}
    symbols = ((key, mark) for holder in holders(entry.given) for key, _, mark in holder.marked())
    for key, mark in symbols:
        if key not in FIELDS and key not in names:
            meant = closest(key, (*FIELDS, *names))
            hint = f"did you mean {meant!r}?" if meant else "remove it"
            raise mark.error(f"{key!r} is not a field, and used nowhere as a symbol; {hint}")


def holders(given: Fields) -> tuple[Fields, Fields]:
    """Where a workload's symbols stand: among its fields, and in its grid."""
    return given, given.fields("grid")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Fields):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, Items):
        for inner in value:
            yield from texts(inner)
