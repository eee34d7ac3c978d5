"""
How far an output may be from its float64 reference: derived from the fallback's own error, capped by dtype and length.

A bound has two numbers. `row_error`: largest error over the largest |expected| of its row. `relative_l2`: the norm of
the error over that of what is expected. Each is

    derived   min(cap, 2 * the fallback's own + 2 eps + √L eps₃₂)
    cap       units * eps + 4 √L eps₃₂

with eps one unit in the last place (at 1) of the output's dtype, eps₃₂ that of the accumulation dtype (float32; for
float64 outputs float64), L the longest input dimension. Why these:

- √L: rounding errors of a sum of L terms behave as independent and of mean zero, so that they grow as √L and not as L
  with high probability (Higham and Mary, A new approach to probabilistic rounding error analysis, SISC 41(5), 2019).
  Two honest sums in different order differ by that much, hence it stands beside the fallback's own error. Four times
  in the cap, which has no measured error to lean on: terms of one sign with a heavy tail, added one by one, lean one
  way, and took 3.2 √L eps₃₂ at L = 16384. (In 16 lanes 0.2. So one accumulator over such a row, beside a fallback that
  sums in pairs, is refused from about 4096 terms on. It is that inexact.)
- units: what intermediate roundings add. torch.testing.assert_close takes rtol 1.6e-2 for bfloat16 and 1e-3 for
  float16, two and one eps, between results that were rounded alike; a fallback that runs operator by operator rounds
  half a dozen times, so four (three for the norm, where errors average). For float32 it takes 1.3e-6, 11 eps; an
  exponential's argument of some 30 carries that many units by itself, so 32 (16), still a hundredth of TF32's error.
  torch's 1e-7 for float64 is 4e8 eps, looser than float32: here 64 (32).
  For fp8 one rounding is half an eps, an eighth or a sixteenth; 1.5 (1) leaves room for a value rounded twice and still
  refuses a constant halfway up.
- Zeros have row_error 1 and relative_l2 1, so every cap is far below; it holds down to outputs of one row.

Integers and bool are exact.
"""

import math
from collections.abc import Mapping

from kgate.model import Bound, Metric, Tolerance
from kgate.tensors import DTYPES, Dtype, dtype_of

# Units of eps in the cap: (row_error, relative_l2).
_UNITS: Mapping[str, tuple[float, float]] = {
    "float64": (64.0, 32.0),
    "complex128": (64.0, 32.0),
    "float32": (32.0, 16.0),
    "complex64": (32.0, 16.0),
    "float16": (4.0, 3.0),
    "bfloat16": (4.0, 3.0),
    "float8_e4m3fn": (1.5, 1.0),
    "float8_e4m3fnuz": (1.5, 1.0),
    "float8_e5m2": (1.5, 1.0),
    "float8_e5m2fnuz": (1.5, 1.0),
}
_OWN_FACTOR = 2.0
_OUTPUT_UNITS = 2.0
_CAP_SUMS = 4.0


def cap(dtype: str, longest: int) -> Bound:
    """
    What holds whatever the fallback does; what the fallback itself is judged by.

    `longest` is the longest input dimension, at least 1. Raises HostError for a dtype unknown here.
    """
    known = dtype_of(dtype)
    if dtype not in _UNITS:
        return Bound(source="cap", rtol=0.0, atol=0.0)
    sums = _CAP_SUMS * _sum_units(known, longest)
    row_units, norm_units = _UNITS[dtype]
    return Bound(source="cap", row_error=row_units * known.eps + sums, relative_l2=norm_units * known.eps + sums)


def derived(dtype: str, longest: int, fallback: Mapping[str, Metric] | None) -> Bound:
    """
    From the fallback's metrics for the same output against the same reference; None, where it gave none, is the cap.

    A fallback whose own error is past the cap (or inf) widens nothing.
    """
    limit = cap(dtype, longest)
    if fallback is None or limit.row_error is None or limit.relative_l2 is None:
        return limit
    known = dtype_of(dtype)
    slack = _OUTPUT_UNITS * known.eps + _sum_units(known, longest)
    return Bound(
        source="derived",
        row_error=_widened("row_error", fallback, slack, limit.row_error),
        relative_l2=_widened("relative_l2", fallback, slack, limit.relative_l2),
    )


def declared(tolerance: Tolerance) -> Bound:
    """The manifest's own numbers; they replace what would be derived."""
    return Bound(
        source="manifest",
        rtol=tolerance.rtol,
        atol=tolerance.atol,
        psnr=tolerance.psnr,
        cosine=tolerance.cosine,
    )


def _sum_units(dtype: Dtype, longest: int) -> float:
    """√L units in the last place of what sums are kept in, relative."""
    accumulation = DTYPES["float64" if dtype.part.itemsize == 8 else "float32"]
    return math.sqrt(max(longest, 1)) * accumulation.eps


def _widened(name: str, fallback: Mapping[str, Metric], slack: float, limit: float) -> float:
    return min(limit, _OWN_FACTOR * fallback[name].value + slack) if name in fallback else limit
