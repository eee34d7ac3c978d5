"""Small and large values, far from zero, all alike; masks that hide all or nothing."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from kgate.model import Workload
from kgate.protocol import Fill
from kgate.variants._changed import named_tensors, one_changed
from kgate.variants.sizes import LENGTHS, Changed

INDEX = "index"  # a role of the manifest
# The lowest score that kernels take for minus infinity, seen in one; and what float16 still holds.
FAR = -6.0e4
FLOATS: Mapping[str, float] = {  # the largest number
    "float64": math.inf,
    "float32": 3.4e38,
    "bfloat16": 3.4e38,
    "float16": 65504.0,
}
# A tenth or so of the smallest normal number: with enough bits below it to be told from zero.
SUBNORMAL: Mapping[str, float] = {"float64": 1e-309, "float32": 1e-39, "bfloat16": 1e-39, "float16": 5e-6}


def values(small: Workload) -> Iterator[Changed]:
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


def subnormal(small: Workload) -> Iterator[Changed]:
    changed = small
    for name, tensor in named_tensors(small):
        usual = abs(tensor.scale) * (abs(tensor.fill.a) + abs(tensor.fill.b))
        if tensor.dtype in SUBNORMAL and tensor.fill.kind in ("normal", "uniform") and usual:
            scale = tensor.scale * SUBNORMAL[tensor.dtype] / usual
            changed = one_changed(changed, name, {"scale": scale})
    if changed is not small:
        yield "subnormal values", "floats below the smallest normal number", changed


def scaled(small: Workload, floats: list[str], factor: float) -> Iterator[Changed]:
    changed = small
    for name, tensor in named_tensors(small):
        largest = 5 * (abs(tensor.fill.a) + abs(tensor.fill.b)) * abs(tensor.scale * factor)
        if name in floats and largest < FLOATS[tensor.dtype]:
            changed = one_changed(changed, name, {"scale": tensor.scale * factor})
    if changed is not small:
        yield f"scale {factor:g}", f"floats x {factor:g}", changed


def of_roles(small: Workload) -> Iterator[Changed]:
    """Whole numbers that are as valid as the drawn ones, and rarer: one place over and over, groups with nothing in."""
    for name, tensor in named_tensors(small):
        fill, row = tensor.fill, tensor.shape[-1] if tensor.shape else 1
        if tensor.role == INDEX and fill.kind in ("integers", "sorted"):
            for value in dict.fromkeys((fill.b - 1, 0.0)):
                one = Fill(kind="constant", a=value)
                yield f"role of {name}", f"{name} all {value:.0f}", one_changed(small, name, {"fill": one})
        if fill.kind == "offsets" and fill.b and row > 2:
            for place, words in ((1, "first"), (row - 1, "last")):
                step = replace(fill, kind="step", a=float(place))
                yield f"role of {name}", f"{name} all in the {words}", one_changed(small, name, {"fill": step})
