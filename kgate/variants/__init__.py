"""
What kgate asks besides the manifest's workloads, made from each of them by one change: sizes beside the usual ones,
layouts, scales, ties, masks. Production will send them one day, and a kernel that answers none of them refuses.

Every change is made on a small copy of the workload, which is asked as well, so that what passes stands beside what
does not. Whole numbers are never drawn otherwise than the manifest says, unless a role tells what is valid. What the
manifest says is refused is asked too, and an ordinary call behind it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from kgate.model import Case, Kernel, Variant, Workload
from kgate.protocol import Arg, ListArg, MapArg, TensorArg, tensors_within
from kgate.variants import refusals
from kgate.variants.layouts import layouts
from kgate.variants.refusals import SMALL, Refuses
from kgate.variants.sizes import MOST_BYTES, Changed, lengths, shapes, shrunk, size_bytes
from kgate.variants.values import of_roles, subnormal, values

__all__ = ["CONFIGURATIONS", "MOST_BYTES", "size_bytes", "variants"]

CONFIGURATIONS = 256  # of one kernel
FIRST, FURTHER = 48, 12  # variants of a kernel's first workload of each kind of argument, and of others like it


def variants(
    kernel: Kernel,
    device: str,
    workloads: Iterable[Workload],
    refused: Iterable[Workload] = (),
    direction: str = "forward",
) -> list[Variant]:
    """
    All of one kernel's, in an order that brings what is most often wrong first. `workloads` are its cases, `refused`
    those that its manifest declares and says are refused. Backward they are few, and of sizes and layouts alone.
    """
    forward = direction == "forward"
    seen: list[object] = []
    known: set[object] = set()
    found: list[Variant] = []
    refuses = refusals.of_kernel(kernel)
    for workload in workloads:
        kind = tuple((t.dtype, len(t.shape), t.strides) for t in tensors_within(workload.args.values()))
        most = FURTHER if kind in seen or not forward else FIRST
        seen.append(kind)
        of = Case(kernel=kernel.name, workload=workload.name, device=device, direction=direction)
        asked = changes(workload, kernel, refuses) if forward else shaped(workload, refuses)
        fresh = (c for c in asked if new(c[2], known))
        found += [variant(of, changed, refuses) for changed in islice(fresh, most)]
    if not forward:
        return found
    more = [variant(found[0].of, each, refuses) for each in refusals.untried(kernel, found, refused)] if found else []
    return [*found, *configurations(kernel, found), *more, *refusals.behind(kernel, [*more, *found])]


def configurations(kernel: Kernel, found: Iterable[Variant]) -> Iterator[Variant]:
    """The call that is asked first of all, under each choice that the manifest gives the kernel."""
    usual = next((v for v in found if v.kind == SMALL and not v.workload.refusal), None)
    if kernel.tune is None or usual is None:
        return
    for choice in islice(kernel.tune.choices(), CONFIGURATIONS):
        change = ", ".join(f"{name} = {value}" for name, value in choice.items())
        name = f"{usual.of.workload}~{change.replace(' ', '')}"
        yield replace(
            usual, kind="configuration", change=change, workload=replace(usual.workload, name=name), choice=choice
        )


def variant(of: Case, changed: Changed, refuses: Refuses) -> Variant:
    kind, change, made = changed
    refusal = refuses(made)
    workload = replace(made, name=f"{of.workload}~{change.replace(' ', '')}", weight=0.0, refusal=refusal)
    return Variant(of=of, kind=f"refusal: {refusal.when}" if refusal else kind, change=change, workload=workload)


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


def changes(workload: Workload, kernel: Kernel, refuses: Refuses) -> Iterator[Changed]:
    if not shapes(workload):
        return
    small, sizes = shrunk(workload, refuses)
    tiny = subnormal(small) if kernel.subnormals == "keep" else ()
    valued = [*of_roles(small), *tiny, *values(small)]
    yield from in_turns([(SMALL, SMALL, small)], list(lengths(small, sizes)), list(layouts(small)), valued)


def shaped(workload: Workload, refuses: Refuses) -> Iterator[Changed]:
    if not shapes(workload):
        return
    small, sizes = shrunk(workload, refuses)
    yield from in_turns([(SMALL, SMALL, small)], list(lengths(small, sizes)), list(layouts(small)))


def in_turns(*ways: list[Changed]) -> Iterator[Changed]:
    """Two of each, so that a budget that ends too soon has seen some of all."""
    while any(ways):
        for way in ways:
            yield from (way.pop(0) for _ in range(2) if way)
