"""What each output of a case may differ from its reference: by the manifest's word, or derived."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kgate import tolerance
from kgate.model import Arm, Bound, Case, Comparison, Route, Tensor, Tree, Workload
from kgate.plan import Plan, Target
from kgate.protocol import Arg, tensors_within
from kgate.tensors import DTYPES, Kind, dtype_of


def held_to(plan: Plan, arm: Arm, case: Case) -> Workload:
    """
    The case's workload with the tolerances of the arm's own tree: what a change tightens, base has never promised, and
    base's code that breaks it is no old fault. Head's where base does not declare this workload.
    """
    workload = plan.workloads[case]
    if arm.tree is not Tree.BASE or case.kernel not in plan.base_kernels:
        return workload
    name = plan.variants[case].of.workload if case in plan.variants else case.workload
    own = next((w for w in plan.base_kernels[case.kernel].workloads if w.name == name), None)
    return replace(workload, tolerance=own.tolerance) if own is not None else workload


def bounds_of(
    workload: Workload, target: Target, arm: Arm, outputs: Sequence[Tensor], fallback: Sequence[Comparison]
) -> tuple[Bound, ...]:
    """
    One bound per output: the manifest's for this dtype, else derived from the fallback's own error, else the cap.

    The fallback itself, and a drill that ends in it, are judged by the cap: a path cannot vouch for itself.
    """
    longest = longest_dimension(workload.args.values())
    bounds = []
    for index, output in enumerate(outputs):
        by_hand = workload.tolerance_of(output.dtype, (target.arch, target.kind))
        own = fallback[index] if index < len(fallback) else None
        if by_hand is not None:
            bounds.append(tolerance.declared(by_hand))
        elif arm.route is Route.CUSTOM and own is not None and own.holds:
            bounds.append(tolerance.derived(output.dtype, longest, own.metrics))
        else:
            bounds.append(tolerance.cap(output.dtype, longest))
    return tuple(bounds)


def flushed(bounds: Iterable[Bound], outputs: Sequence[Tensor]) -> tuple[Bound, ...]:
    """The same, with zero for what is smaller than the dtype's smallest normal number."""
    pairs = zip(bounds, outputs, strict=False)
    return tuple(replace(b, zero_below=dtype_of(o.dtype).tiny) if is_float(o) else b for b, o in pairs)


def is_float(output: Tensor) -> bool:
    return output.dtype in DTYPES and dtype_of(output.dtype).kind in (Kind.FLOAT, Kind.COMPLEX)


def strict(workload: Workload, outputs: Sequence[Tensor], bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """What the dtypes of these outputs allow at most, where any of `bounds` is by hand; else none."""
    if all(bound.source != "manifest" for bound in bounds):
        return ()
    longest = longest_dimension(workload.args.values())
    return tuple(tolerance.cap(output.dtype, longest) for output in outputs)


def longest_dimension(args: Iterable[Arg]) -> int:
    """Of all input tensors: how many terms a sum over inputs may have. 1 where there are none."""
    return max((size for tensor in tensors_within(args) for size in (*tensor.shape, 1)), default=1)
