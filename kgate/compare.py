"""
Outputs against their reference: the contract first, then every metric in one pass, then the bounds.

Nothing here grows with the output: files are mapped and read in chunks.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kgate.chunks import Allowance, Chunk, chunks
from kgate.metrics import measured
from kgate.model import Bound, Comparison, Metric, Tensor
from kgate.patterns import pattern
from kgate.tensors import DTYPES, Kind, dtype_of, read_matrix


def compare(
    outputs: Sequence[Tensor],
    reference: Sequence[Tensor],
    like: Sequence[Tensor] | None,
    bounds: Sequence[Bound],
    giver: str = "fallback",
) -> tuple[Comparison, ...]:
    """
    One comparison per output; one in all, with its `mismatch`, if their number is wrong.

    `reference` holds float64, or integers or bool where the output does (any dtype of a user's own reference is read).
    `like` are the outputs whose number, shapes and dtypes are the contract, and `giver` says in sentences whose they
    are ("base's fallback"); without it, the reference's number, shapes and kinds are. `bounds` are one per output,
    once their number is right.
    Raises HostError for a file that is not what its Tensor says, ValueError if `bounds` do not fit.
    """
    contracts = ([] if like is None else [(like, giver)]) + [(reference, "reference")]
    for expected, name in contracts:
        if len(outputs) != len(expected):
            return (_wrong_number(outputs, expected, name, bounds),)
    if len(bounds) != len(outputs):
        raise ValueError(f"{len(bounds)} bounds for {len(outputs)} outputs")
    return tuple(
        _compared(i, output, [(expected[i], name) for expected, name in contracts], bounds[i])
        for i, output in enumerate(outputs)
    )


def _wrong_number(
    outputs: Sequence[Tensor], expected: Sequence[Tensor], giver: str, bounds: Sequence[Bound]
) -> Comparison:
    shown = outputs[0] if outputs else expected[0]
    noun = "output" if len(outputs) == 1 else "outputs"
    return Comparison(
        output=0,
        dtype=shown.dtype,
        shape=shown.shape,
        metrics={},
        bound=bounds[0] if bounds else Bound(source="cap"),
        mismatch=f"{len(outputs) or 'no'} {noun}, {_the(giver)} gives {len(expected) or 'none'}",
    )


def _compared(index: int, output: Tensor, contracts: Sequence[tuple[Tensor, str]], bound: Bound) -> Comparison:
    """`contracts`: what the output has to look like and whose it is, with the reference last."""
    reference = contracts[-1][0]
    found = Comparison(output=index, dtype=output.dtype, shape=output.shape, metrics={}, bound=bound)
    if mismatch := _mismatch(output, contracts):
        return dataclasses.replace(found, mismatch=f"output {index} {mismatch}")
    finite: list[bool] = []
    metrics = measured(_noting(finite, pieces(read_matrix(output), read_matrix(reference), output, bound)))
    wrong = broken(metrics, bound)
    if wrong and (shared := pattern(pieces(read_matrix(output), read_matrix(reference), output, bound))):
        metrics[shared.name] = shared
    return dataclasses.replace(
        found,
        metrics=metrics,
        broken=wrong,
        finite=all(finite),
        accepts_zeros=_accepts_zeros(output, reference, bound),
    )


def _mismatch(output: Tensor, contracts: Sequence[tuple[Tensor, str]]) -> str:
    """What is wrong before any value is read, as the end of a sentence; "" if nothing is."""
    for expected, name in contracts:
        if output.shape != expected.shape:
            return f"has shape {_shape(output)}, {_the(name)} gives {_shape(expected)}"
    *likes, (reference, _) = contracts
    for like, name in likes:
        if output.dtype != like.dtype:
            return f"is {output.dtype}, {_the(name)} gives {like.dtype}"
    for tensor in (output, reference):
        if tensor.dtype not in DTYPES:
            return f"cannot be compared: dtype {tensor.dtype} is not supported by this version"
    kinds = dtype_of(output.dtype).kind, dtype_of(reference.dtype).kind
    # Where the fallback vouches for the dtype, a reference of another kind is only another way to write the number.
    if kinds[0] is not kinds[1] and (not likes or Kind.COMPLEX in kinds):
        return f"is {output.dtype} ({kinds[0].value}), the reference gives {reference.dtype} ({kinds[1].value})"
    return ""


def _the(giver: str) -> str:
    return giver if "'s " in giver else f"the {giver}"


def _shape(tensor: Tensor) -> str:
    return f"[{', '.join(map(str, tensor.shape))}]"


def pieces(value: npt.NDArray[Any], expected: npt.NDArray[Any], output: Tensor, bound: Bound) -> Iterator[Chunk]:
    """`value`, a matrix in the form of `output`, beside what is expected."""
    return chunks(
        value,
        expected,
        dtype=dtype_of(output.dtype),
        shape=output.shape,
        allowance=_allowance(bound),
    )


def _noting(finite: list[bool], pieces: Iterator[Chunk]) -> Iterator[Chunk]:
    """The same pieces; `finite` gets a word on each."""
    for piece in pieces:
        finite.append(piece.finite)
        yield piece


def _accepts_zeros(output: Tensor, reference: Tensor, bound: Bound) -> bool:
    """
    Whether zeros would hold under a bound by hand; False where zeros are right, since no row expects a normal number.

    A tolerance that is worth something is found out in the first chunk.
    """
    if bound.source != "manifest":
        return False
    form = read_matrix(output)
    zeros = np.broadcast_to(np.zeros((), form.dtype), form.shape)
    if any(piece.outside.any() for piece in pieces(zeros, read_matrix(reference), output, bound)):
        return False
    metrics = measured(pieces(zeros, read_matrix(reference), output, bound))
    return bool(metrics) and metrics["row_error"].value >= 1 and not broken(metrics, bound)


def _allowance(bound: Bound) -> Allowance:
    zero_below = bound.zero_below or 0.0
    if bound.rtol is not None or bound.atol is not None:
        return Allowance(relative=bound.rtol or 0.0, absolute=bound.atol or 0.0, zero_below=zero_below)
    if bound.row_error is not None:
        return Allowance(row=bound.row_error, zero_below=zero_below)
    # Nothing is asked of single elements but to be finite where expected.
    return Allowance(absolute=float("inf"), zero_below=zero_below)


def broken(metrics: Mapping[str, Metric], bound: Bound) -> tuple[str, ...]:
    if not bound.asks:
        return ("no bound is set: give this dtype a tolerance with at least one number",)
    if not metrics:  # an empty output has nothing to be wrong
        return ()
    sentences = (
        _above("row error", metrics["row_error"], bound.row_error),
        _above("relative L2 error", metrics["relative_l2"], bound.relative_l2),
        _outside(metrics, bound),
        _below("PSNR", metrics["psnr"], bound.psnr),
        _below("cosine", metrics["cosine"], bound.cosine),
    )
    return tuple(sentence for sentence in sentences if sentence)


# Each asks "not within", never "beyond", so that a NaN limit breaks instead of passing.


def _above(label: str, metric: Metric, limit: float | None) -> str:
    if limit is None or metric.value <= limit:
        return ""
    return f"{label} {metric.value:.3g}, at most {limit:.3g} allowed"


def _below(label: str, metric: Metric, limit: float | None) -> str:
    if limit is None or metric.value >= limit:
        return ""
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{label} {metric.value:.4g}{unit}, at least {limit:.4g}{unit} asked for"


def _outside(metrics: Mapping[str, Metric], bound: Bound) -> str:
    found = metrics["mismatch"]
    if not found.value or (bound.row_error is not None and metrics["row_error"].value < float("inf")):
        return ""  # a row error says the same with a better number
    if bound.rtol is None and bound.atol is None:
        return f"{found.where} elements are NaN or infinite where the reference is not, or the other way round"
    if not bound.rtol and not bound.atol:
        return f"{found.where} elements differ, none may"
    allowed = f"{bound.atol or 0:.3g} + {bound.rtol or 0:.3g} × |expected|"
    return f"{found.where} elements are off by more than {allowed}, the worst at {metrics['worst'].where}"
