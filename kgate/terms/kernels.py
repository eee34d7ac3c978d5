"""Entries of the manifest and their workloads, field by field."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kgate.model import DEVICE_KINDS, Amendment, Kernel, Kind, Refusal, Tolerance, Workload
from kgate.terms.held import Held
from kgate.terms.order import (
    changed,
    exceptions,
    flag,
    larger_loosens,
    members,
    presence,
    smaller_loosens,
    until,
    worst,
)
from kgate.terms.renames import Renames, same_data

Ordered = Callable[[Any, Any], Kind | None]


def weight(before: float, after: float) -> Kind | None:
    """0 is a test, which is never timed; other weights say how much a case counts in the kernel's mean."""
    return changed(before, after) if before and after else smaller_loosens(before, after)


def directions(before: str, after: str) -> Kind | None:
    """`both` is forward and backward."""
    known = {"both": ("forward", "backward")}
    return members(known.get(before, (before,)), known.get(after, (after,)))


def packages(before: tuple[str, ...], after: tuple[str, ...]) -> Kind | None:
    """Of what drills take away; none is the package of the DSL, which is another set and not an empty one."""
    return members(before, after) if before and after else changed(before, after)


def tune(before: object, after: object) -> Kind | None:
    """Which configurations there are is the kernel's own affair; that each of them is tried is not."""
    return presence(before is not None, after is not None)


def subnormals(before: str, after: str) -> Kind | None:
    order = ("flush", "", "keep")
    return smaller_loosens(order.index(before), order.index(after))


def refusals(before: tuple[Refusal, ...], after: tuple[Refusal, ...]) -> Kind | None:
    return exceptions(map(shown, before), map(shown, after))


def refusal(before: Refusal | None, after: Refusal | None) -> Kind | None:
    """Of one workload, which is a case where it is not refused."""
    return refusals((before,) if before else (), (after,) if after else ())


FUNCTIONS = ("dispatch", "fallback", "reference", "compare", "setup", "reset")
TRUTHS = ("reference", "fallback", "compare")  # whose code is held to base's as well
# What is not here is looked at by itself below, or judges nothing: where it stands, and what is written for a reader.
# The custom path is what is judged.
KERNEL: Mapping[str, Ordered] = {
    "dsl": changed,
    "switch": presence,
    "device_kernels": presence,
    "direction": directions,
    "mutates": changed,
    "steps": changed,
    "optional": packages,
    "deterministic": flag,
    "tune": tune,
    "subnormals": subnormals,
    "refuses": refusals,
    "min_speedup": smaller_loosens,
    "timeout_s": larger_loosens,
}
KERNEL_APART = ("owners", "unowned_reason", "unowned_expires", "workloads", "keywords", *FUNCTIONS)
KERNEL_SILENT = (
    "name",
    "place",
    "refused",
    "custom",
    "compile",
    "production_operator",
    "evidence_profile",
    "evidence_source",
)
WORKLOAD: Mapping[str, Ordered] = {
    "targets": members,
    "flops": smaller_loosens,
    "moved_bytes": smaller_loosens,
    "weight": weight,
    "refusal": refusal,
}
WORKLOAD_APART = ("args", "symbols", "tolerance")
WORKLOAD_SILENT = ("name", "place", "source", "resized")
LIMITS: Mapping[str, Ordered] = {
    "rtol": larger_loosens,
    "atol": larger_loosens,
    "psnr": smaller_loosens,
    "cosine": smaller_loosens,
}
WORDS = {
    "moved_bytes": "bytes",
    "device_kernels": "device_kernels",
    "min_speedup": "latency.min_speedup",
}


def of_entries(base: Held, head: Held, names: Renames) -> Iterator[Amendment]:
    old = {kernel.name: kernel for kernel in base.manifest.kernels}
    before = {names.kernel(name): kernel for name, kernel in old.items()}
    after = {kernel.name: kernel for kernel in head.manifest.kernels}
    for name, kernel in after.items():
        if name not in before:
            yield Amendment(kind="added", what="entry", kernel=name, owners=kernel.owners, place=kernel.place)
        else:
            yield from Pair(base=before[name], head=kernel, names=names, held=(base, head)).amendments()
    for name, kernel in before.items():
        if name not in after:
            # Where a new entry stands, nobody will look for the old one: it has no place any more.
            yield Amendment(kind="removed", what="entry", kernel=name, before=kernel.custom, owners=base.owners(kernel))


class Pair:
    """One kernel, as base and head declare it."""

    def __init__(self, *, base: Kernel, head: Kernel, names: Renames, held: tuple[Held, Held]) -> None:
        self.base, self.head, self.names = base, head, names
        self.owners_before = held[0].owners(base)
        self.code_before, self.code_after = (side.code for side in held)

    def of(self, kind: Kind, what: str, before: object = "", after: object = "", workload: str = "") -> Amendment:
        return Amendment(
            kind=kind,
            what=what,
            kernel=self.head.name,
            workload=workload,
            before=shown(before),
            after=shown(after),
            owners=self.owners_before,
            place=self.head.place,
        )

    def amendments(self) -> Iterator[Amendment]:
        yield from self.renamed()
        yield from self.owners()
        yield from self.functions()
        yield from self.fields()
        if same_signature(self.base, self.head):
            yield from self.workloads()
        else:
            yield self.of("moved", "signature", arguments(self.base), arguments(self.head))

    def renamed(self) -> Iterator[Amendment]:
        if self.base.name != self.head.name:
            yield self.of("renamed", "entry", self.base.name, self.head.name)
        for role in ("custom", *FUNCTIONS):
            before, after = getattr(self.base, role), getattr(self.head, role)
            if before != after and self.names.entry(before) == after:
                yield self.of("renamed", f"file of {role}", before, after)

    def owners(self) -> Iterator[Amendment]:
        before, after = self.base.owners, self.head.owners
        if kind := members(map(str.lower, before), map(str.lower, after)):
            yield self.of(kind, "owners", before, after)
        old, new = self.base.unowned_expires, self.head.unowned_expires
        if bool(old) != bool(new):
            yield self.of("loosened" if new else "tightened", "unowned", old, new)
        elif kind := until(old, new):
            yield self.of(kind, "unowned", old, new)

    def functions(self) -> Iterator[Amendment]:
        for role in FUNCTIONS:
            before, after = getattr(self.base, role), getattr(self.head, role)
            if self.names.entry(before) != after:
                yield self.of("moved", role, before, after)
        for role in TRUTHS:
            before, after = getattr(self.base, role), getattr(self.head, role)
            old, new = self.code_before.get(before, ""), self.code_after.get(after, "")
            if self.names.entry(before) == after and old and new and old != new:
                yield self.of("moved", f"code of {role}", before, after)

    def fields(self) -> Iterator[Amendment]:
        for name, order in KERNEL.items():
            before, after = getattr(self.base, name), getattr(self.head, name)
            if kind := order(before, after):
                yield self.of(kind, WORDS.get(name, name), before, after)

    def workloads(self) -> Iterator[Amendment]:
        before = {self.names.workloads.get((self.head.name, w.name), w.name): w for w in self.base.workloads}
        after = {workload.name: workload for workload in self.head.workloads}
        for name, workload in after.items():
            if name not in before:
                yield self.of("added", "workload", workload=name)
            else:
                yield from self.workload(before[name], workload)
        for name in before:
            if name not in after:
                yield self.of("removed", "workload", workload=name)

    def workload(self, old: Workload, new: Workload) -> Iterator[Amendment]:
        if old.name != new.name:
            yield self.of("renamed", "workload", old.name, new.name, new.name)
        elif not self.same(old, new):
            # Other data is another workload: the one that was here is gone.
            yield self.of("removed", "workload", workload=new.name, after="other arguments")
            return
        for name, order in WORKLOAD.items():
            before, after = getattr(old, name), getattr(new, name)
            if kind := order(before, after):
                yield self.of(kind, WORDS.get(name, name), before, after, new.name)
        yield from self.tolerances(old, new)

    def same(self, old: Workload, new: Workload) -> bool:
        """Streams are made of names, so that those of a renamed kernel differ though nothing has changed."""
        if self.base.name != self.head.name:
            return same_data(old, new)
        return (old.args, old.symbols) == (new.args, new.symbols)

    def tolerances(self, old: Workload, new: Workload) -> Iterator[Amendment]:
        """By dtype and target, as what holds for an output on either side, wherever it is written."""
        for key, before, after in holding(old, new):
            if kind := tolerance_kind(before, after):
                yield self.of(kind, f"tolerance {key}".strip(), before, after, new.name)


def same_signature(base: Kernel, head: Kernel) -> bool:
    """Whether both are called alike, as plan.same_signature has it; a kernel without workloads tells nothing."""
    if not base.workloads or not head.workloads:
        return True
    ways = [(k.keywords, bool(k.setup), arguments(k)) for k in (base, head)]
    return ways[0] == ways[1]


def arguments(kernel: Kernel) -> tuple[str, ...]:
    """Names in their order, which all workloads share."""
    return tuple(next((workload.args for workload in kernel.workloads), ()))


def holding(old: Workload, new: Workload) -> Iterator[tuple[str, Tolerance | None, Tolerance | None]]:
    """
    For each dtype that either names, and "" for all others, on each kind of device and each architecture that either
    names: what holds at base and at head. Where all devices are alike, or an architecture is as its kind is, or a dtype
    as all others are, it is told once.
    """
    parts = [key.rpartition("/") for key in (*old.tolerance, *new.tolerance)]
    architectures = {target for target, _, _ in parts} - {"", *DEVICE_KINDS}
    devices = {name: (name,) for name in DEVICE_KINDS} | {name: (name, "cuda") for name in sorted(architectures)}
    others = pairs(old, new, "", devices)
    for dtype in sorted({"", *(dtype for _, _, dtype in parts)}):
        found = pairs(old, new, dtype, devices)
        apart = {name: pair for name, pair in found.items() if not dtype or pair != others[name]}
        if apart and len(set(found.values())) == 1:
            yield (dtype, *found["cuda"])
            continue
        for name, pair in apart.items():
            if name in DEVICE_KINDS or apart.get("cuda") != pair:
                yield (f"{name}/{dtype}", *pair)


def pairs(
    old: Workload, new: Workload, dtype: str, devices: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[Tolerance | None, Tolerance | None]]:
    return {name: (old.tolerance_of(dtype, on), new.tolerance_of(dtype, on)) for name, on in devices.items()}


def tolerance_kind(before: Tolerance | None, after: Tolerance | None) -> Kind | None:
    """By hand in place of what is derived counts as looser: whoever writes it wants more room."""
    if before is None or after is None:
        return None if before is after else ("loosened" if before is None else "moved")
    old, new = with_both_halves(before), with_both_halves(after)
    return worst(order(getattr(old, name), getattr(new, name)) for name, order in LIMITS.items())


def with_both_halves(tolerance: Tolerance) -> Tolerance:
    """rtol and atol are one limit, atol + rtol * |expected|, in which the half that is not written is 0."""
    if tolerance.rtol is None and tolerance.atol is None:
        return tolerance
    return replace(tolerance, rtol=tolerance.rtol or 0.0, atol=tolerance.atol or 0.0)


def shown(value: object) -> str:
    match value:
        case Tolerance():
            limits = ((name, getattr(value, name)) for name in LIMITS)
            return ", ".join(f"{name} {limit:g}" for name, limit in limits if limit is not None)
        case Refusal():
            return f"{value.when} with {value.ending}"
        case tuple():
            return ", ".join(map(shown, value))
        case float():
            return f"{value:g}"
        case None:
            return ""
        case _:
            return str(value)
