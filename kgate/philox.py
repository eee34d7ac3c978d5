"""
Input values: drawn by counter, not in sequence, so that any part can be drawn anywhere, with the same bits.

The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC'11; its
authors' known answers are in Random123's kat_vectors). The worker repeats this module on its own device, in integer
arithmetic; so this text is the whole definition.

Word i of stream s for a purpose p:  key = (s mod 2**32, s div 2**32),  counter = (c mod 2**32, c div 2**32, p, 0) with
c = i div 4, and of the block's four words the one numbered i mod 4. Purpose 0 draws values, 1 the mask for `zeros`.

A tensor's element i, in C order over its shape whatever its strides, is made from word i by these steps, each a float64
operation with one rounding (no fused multiply-add):

1. By `Fill.kind`, with u the word of purpose 0:
   normal     table[u >> 16] * b, then + a
   uniform    ((u >> 8) * 2**-24) * (b - a), then + a
   integers   int(a) + (u * (int(b) - int(a)) >> 32), in integers. The product needs 64 unsigned bits; with 63 bits use
              ((u >> 16) * span + ((u & 0xFFFF) * span >> 16)) >> 16, which is the same number.
   mask       u < ceil(a * 2**32), as 1 or 0
   constant   a
   zipf       the number of table entries that are not above u, at most entries - 1
   Arranged kinds are of rows along the last dimension, n numbers each; steps 2 and 3 are left out:
   sorted     integers from 0 up to b, then each row in rising order
   distinct   word b * row + j belongs to number j: the first n numbers in the order of their words, ties by j
   rising     the same numbers, in rising order
   pages      as distinct, the whole tensor as one row
   offsets    integers from 0 up to b + 1, each row in rising order, then its first set to 0 and its last to b
   step       0 where the place in the row is below a, else b
2. `* scale`.
3. Where zeros > 0: +0 where the word of purpose 1 is below ceil(zeros * 2**32).
4. To the dtype. Floats: float64 -> float32 -> dtype, each to nearest, ties to even; fp8 saturates at its largest finite
   value (clamp the float32). Integers: towards zero, clamped to the dtype's range and to ±2**53. bool: is not 0.
   complex: drawn as a float tensor of shape (*shape, 2), whose last dimension is (real, imaginary).

A sample's refresh is a roll: see `refresh`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from kgate.protocol import ARRANGED, Fill, TensorArg
from kgate.tensors import Dtype, Floats, Kind, dtype_of, narrowed

Words = npt.NDArray[np.uint32]
Wide = npt.NDArray[np.uint64]

VALUES, ZEROS = 0, 1  # purposes
NORMAL_ENTRIES = 1 << 16
ZIPF_ENTRIES = 1 << 24  # at most
GRID = 2.0**-20  # normal quantiles are multiples of it, so that no libm's last bit shows
EXACT = float(1 << 53)  # integers up to here are exact in float64
REFRESH = 0x9E3779B97F4A7C15  # 2**64 / golden ratio, odd: consecutive seeds land far apart

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_CHUNK_ELEMENTS = 1 << 17  # keeps the working set of ten rounds in cache


def philox(counter: tuple[Wide, Wide, Wide, Wide], key: tuple[int, int]) -> tuple[Wide, Wide, Wide, Wide]:
    """Philox4x32-10 of arrays of counters, each word a uint32 value held in a uint64."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        first, second = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0 = (second >> _HALF) ^ c1 ^ np.uint64(k0)
        c2 = (first >> _HALF) ^ c3 ^ np.uint64(k1)
        c1, c3 = second & _LOW, first & _LOW
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return c0, c1, c2, c3


def words(stream: int, first: int, count: int, purpose: int = VALUES) -> Words:
    """Words first … first + count - 1 of a stream."""
    blocks = np.arange(first // 4, (first + count + 3) // 4, dtype=np.uint64)
    fixed = np.full(blocks.shape, purpose, np.uint64), np.zeros(blocks.shape, np.uint64)
    lanes = philox((blocks & _LOW, blocks >> _HALF, *fixed), (stream & 0xFFFFFFFF, stream >> 32))
    return np.stack(lanes, axis=1).astype(np.uint32).reshape(-1)[first % 4 :][:count]


def draw(spec: TensorArg, tables: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """
    The values of `spec` in its shape and dtype, C order. `tables`: by `Fill.table`; normal float64, zipf uint32.

    Raises ValueError for a fill whose range is empty or too wide.
    """
    dtype = dtype_of(spec.dtype)
    if spec.fill.kind in ARRANGED:
        return _typed(_arranged(spec), dtype).reshape(spec.shape)
    drawn = np.empty(math.prod(spec.shape) * dtype.parts, dtype.part)
    for start, count in _spans(drawn.size):
        drawn[start : start + count] = _typed(_valued(spec, start, count, tables), dtype)
    return drawn.view(dtype.numpy).reshape(spec.shape)


def _arranged(spec: TensorArg) -> Floats:
    fill, count = spec.fill, math.prod(spec.shape)
    row = spec.shape[-1] if spec.shape and fill.kind != "pages" else count
    rows = count // row if row else 0
    if fill.kind in ("distinct", "rising", "pages"):
        drawn = words(spec.stream, 0, rows * int(fill.b)).reshape(rows, int(fill.b))
        chosen: Floats = np.argsort(drawn, axis=1, kind="stable")[:, :row].astype(np.float64)
        return np.sort(chosen, axis=1) if fill.kind == "rising" else chosen
    if fill.kind == "step":
        return np.broadcast_to(np.where(np.arange(row) < fill.a, 0.0, fill.b), (rows, row))
    above = fill.b + 1 if fill.kind == "offsets" else fill.b
    values: Floats = _integers(Fill(kind="integers", b=above), words(spec.stream, 0, count)).reshape(rows, row)
    values.sort(axis=1)
    if fill.kind == "offsets" and row:
        values[:, 0], values[:, -1] = 0.0, fill.b
    return values


def refresh(values: npt.NDArray[Any], seed: int) -> npt.NDArray[Any]:
    """
    The values of the timed sample with this seed: the flattened array, in C order, moved along by
    (seed * 0x9E3779B97F4A7C15 mod 2**64) mod n places and wrapped around, as np.roll and torch.roll do. Seed 0, and
    nothing else, asks for the values as drawn. `fixed` tensors are never refreshed; the caller sees to that.
    """
    return values if seed == 0 else np.roll(values.reshape(-1), refresh_offset(values.size, seed)).reshape(values.shape)


def refresh_offset(count: int, seed: int) -> int:
    """How far `refresh` moves an array of `count` elements. In Python's integers; nothing here fits 63 bits."""
    return (seed * REFRESH % 2**64) % max(count, 1)


def _spans(count: int) -> Iterator[tuple[int, int]]:
    for start in range(0, count, _CHUNK_ELEMENTS):
        yield start, min(_CHUNK_ELEMENTS, count - start)


def _valued(spec: TensorArg, start: int, count: int, tables: Mapping[str, npt.NDArray[Any]]) -> Floats:
    values = _filled(spec.fill, words(spec.stream, start, count), tables)
    if spec.scale != 1.0:
        values *= spec.scale
    if spec.zeros > 0:
        values[words(spec.stream, start, count, ZEROS) < np.uint64(_threshold(spec.zeros))] = 0.0
    return values


def _filled(fill: Fill, drawn: Words, tables: Mapping[str, npt.NDArray[Any]]) -> Floats:
    match fill.kind:
        case "normal":
            values: Floats = tables[fill.table][drawn >> np.uint32(16)] * fill.b
            return values + fill.a
        case "uniform":
            fractions: Floats = (drawn >> np.uint32(8)).astype(np.float64)
            return fractions * 2.0**-24 * (fill.b - fill.a) + fill.a
        case "integers":
            return _integers(fill, drawn)
        case "mask":
            chosen: Floats = np.less(drawn, np.uint64(_threshold(fill.a))).astype(np.float64)
            return chosen
        case "constant":
            return np.full(drawn.shape, fill.a)
    entries = len(tables[fill.table])  # zipf; arranged kinds do not come here
    indices: Floats = np.searchsorted(tables[fill.table], drawn, side="right").astype(np.float64)
    return np.minimum(indices, entries - 1)


def _integers(fill: Fill, drawn: Words) -> Floats:
    span = int(fill.b) - int(fill.a)
    if not 0 < span <= 2**32:
        raise ValueError(f"integers from {fill.a:g} up to {fill.b:g}: the range must hold 1 to 2**32 integers")
    offsets: Wide = drawn.astype(np.uint64) * np.uint64(span) >> _HALF
    integers: Floats = (offsets.astype(np.int64) + int(fill.a)).astype(np.float64)
    return integers


def _threshold(share: float) -> int:
    return math.ceil(min(max(share, 0.0), 1.0) * 2**32)


def _typed(values: Floats, dtype: Dtype) -> npt.NDArray[Any]:
    if dtype.kind in (Kind.FLOAT, Kind.COMPLEX):
        return narrowed(values, dtype).view(dtype.part)
    if dtype.kind is Kind.BOOL:
        return np.not_equal(values, 0)
    limits = np.iinfo(dtype.numpy)
    clamped: Floats = np.clip(np.trunc(values), max(float(limits.min), -EXACT), min(float(limits.max), EXACT))
    return clamped.astype(dtype.numpy)


def tables(spec: TensorArg) -> dict[str, bytes]:
    """The look-up table that `spec` needs, by file name, as little-endian bytes; empty if it needs none."""
    match spec.fill.kind:
        case "normal":
            return {spec.fill.table: _normal_table().tobytes()}
        case "zipf":
            return {spec.fill.table: _zipf_table(spec.fill.a, int(spec.fill.b)).tobytes()}
    return {}


def write_tables(folder: Path, specs: Iterable[TensorArg]) -> dict[str, npt.NDArray[Any]]:
    """Writes every table that the specs need below `folder`, each once; returns them as `draw` wants them."""
    found: dict[str, npt.NDArray[Any]] = {}
    for spec in specs:
        if spec.fill.table in found:
            continue
        for name, data in tables(spec).items():
            (folder / name).write_bytes(data)
            found[name] = np.frombuffer(data, "<f8" if spec.fill.kind == "normal" else "<u4")
    return found


def _normal_table() -> npt.NDArray[Any]:
    normal = NormalDist()
    upper = [normal.inv_cdf((k + 0.5) / NORMAL_ENTRIES) for k in range(NORMAL_ENTRIES // 2, NORMAL_ENTRIES)]
    half = np.rint(np.array(upper) / GRID) * GRID
    return np.concatenate([-half[::-1], half]).astype("<f8")


def _zipf_table(exponent: float, count: int) -> npt.NDArray[Any]:
    """
    Weights are whole multiples of 2**-28, so that no libm's last bit shows and the sum of up to 2**24 is exact; what is
    lighter than half of that is never drawn.
    """
    if not 1 <= count <= ZIPF_ENTRIES or exponent < 0:
        raise ValueError(
            f"zipf with exponent {exponent:g} over {count} values: needs ≥ 0, and 1 to {ZIPF_ENTRIES} values"
        )
    sums = np.cumsum(np.rint(np.arange(1, count + 1, dtype=np.float64) ** -exponent * 2.0**28))
    table: npt.NDArray[Any] = np.minimum(np.floor(sums / sums[-1] * 2.0**32), 2.0**32 - 1).astype("<u4")
    return table
