"""
What else a tolerance written by hand would let pass, besides the answer that it is there to judge: a constant, the
right numbers in the wrong places, and the right answer in fewer bits.

Zeros are asked by `compare` itself, on all of an output; these on its first rows.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kgate.compare import broken, compare, pieces
from kgate.metrics import measured
from kgate.model import Bound, Comparison, Tensor
from kgate.tensors import Dtype, Floats, Kind, dtype_of, narrowed, read_matrix, widened

LOOKED_AT = 1 << 20  # elements
MANIFEST = "manifest"
# Mantissa bits of the next lower precision that a kernel may be tempted to compute in: TF32 for float32.
FEWER_BITS: Mapping[str, tuple[int, str]] = {
    "float64": (23, "float32"),
    "float32": (10, "TF32"),
    "float16": (7, "bfloat16"),
    "bfloat16": (3, "fp8"),
}
# Of the dtype's own step: nearer to the right answer nothing is wrong with an answer.
WRONG = 32.0
# The same of what is rounded on purpose: it is off by several steps of its dtype, and of 16 bits by less than 32.
ROUNDED = 1.0


def judged(
    outputs: Sequence[Tensor],
    reference: Sequence[Tensor],
    like: Sequence[Tensor] | None,
    found: Sequence[Comparison],
    strict: Sequence[Bound],
) -> tuple[Comparison, ...]:
    """`found` with what each tolerance by hand would accept, and where the answer breaks the `strict` bound instead."""
    if len(strict) != len(found) or all(c.bound.source != MANIFEST or c.mismatch for c in found):
        return tuple(found)
    beyond = compare(outputs, reference, like, strict)
    return tuple(
        dataclasses.replace(c, accepts=accepted(outputs[i], reference[i], c.bound), beyond="; ".join(other.broken))
        if c.bound.source == MANIFEST and not c.mismatch
        else c
        for i, (c, other) in enumerate(zip(found, beyond, strict=True))
    )


def accepted(output: Tensor, reference: Tensor, bound: Bound) -> tuple[str, ...]:
    """In words, each as `an answer …` could go on; none for integers, and where what was made up is nearly right."""
    dtype = dtype_of(output.dtype)
    expected = read_matrix(reference)
    if dtype.kind is not Kind.FLOAT or not expected.size:
        return ()
    rows = expected[: max(1, LOOKED_AT // max(expected.shape[1], 1))]
    right = widened(rows)
    if not np.isfinite(right).all():
        return ()
    bits, name = FEWER_BITS.get(output.dtype, (0, ""))
    made: dict[str, tuple[float, Callable[[], Floats]]] = {
        "of one constant": (WRONG, lambda: np.full(right.shape, right.mean())),
        "with its numbers in other places": (WRONG, lambda: right[::-1, ::-1]),
        **({f"in {name}": (ROUNDED, lambda: rounded(right, bits))} if name else {}),
    }
    first = dataclasses.replace(output, shape=tuple(rows.shape))
    return tuple(word for word, (least, make) in made.items() if holds(make(), rows, first, bound, least))


def wrong_answers(
    outputs: Sequence[Tensor], reference: Sequence[Tensor]
) -> Iterator[tuple[str, list[npt.NDArray[np.generic]]]]:
    """
    In words, and all outputs as arrays of their dtypes, as they are exported; none that is nearly right. For a
    comparison of the user's: numbers in other places are left out, since it may well say that places are free.
    """
    known = [(dtype_of(o.dtype), read_matrix(r)) for o, r in zip(outputs, reference, strict=True)]
    makers: dict[str, Callable[[Floats], float]] = {
        "of zeros": lambda right: 0.0,
        "of one constant": lambda right: float(right[np.isfinite(right)].mean()) if np.isfinite(right).any() else 0.0,
        "of NaN": lambda right: np.nan,
    }
    for word, number in makers.items():
        made = [np.full(right.shape, number(widened(right))) for _, right in known]
        if not all(nearly(one, widened(right), dtype) for one, (dtype, right) in zip(made, known, strict=True)):
            yield word, [in_dtype(one, dtype) for one, (dtype, _) in zip(made, known, strict=True)]


def nearly(made: Floats, right: Floats, dtype: Dtype) -> bool:
    """NaN is like nothing that is finite, and no integer."""
    if not dtype.eps:
        return bool(np.isnan(made).any() or np.array_equal(np.trunc(made), right))
    finite = np.isfinite(right)
    most = WRONG * dtype.eps * np.abs(right[finite]).max(initial=0.0)
    return not finite.any() or bool((np.abs(made - right)[finite] <= most).all())


def in_dtype(made: Floats, dtype: Dtype) -> npt.NDArray[np.generic]:
    if dtype.eps:
        return narrowed(made, dtype)
    return np.nan_to_num(np.trunc(made)).astype(dtype.part)


def holds(value: Floats, rows: npt.NDArray[np.generic], output: Tensor, bound: Bound, least: float) -> bool:
    """Whether it passes, though it is off by more than `least` steps of its dtype."""
    metrics = measured(pieces(value, rows, output, bound))
    wrong = metrics["row_error"].value > least * dtype_of(output.dtype).eps
    return wrong and not broken(metrics, bound)


def rounded(values: Floats, bits: int) -> Floats:
    """To this many bits behind the leading one, to nearest."""
    mantissa, exponent = np.frexp(values)
    step = float(1 << (bits + 1))
    return np.ldexp(np.rint(mantissa * step) / step, exponent)
