"""
The values of a TensorArg, on any device of torch's, bit by bit those of the gate's own generator.

The definition, with its source, is the docstring of the gate's `philox` module; a contract test holds the two together.
Everything up to the last conversion is done in int64 or float64, each operation with one rounding.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgate.protocol import ARRANGED, Fill, TensorArg
from kgate.worker.faults import Fault

VALUES, ZEROS = 0, 1  # purposes
REFRESH = 0x9E3779B97F4A7C15
EXACT = 1 << 53  # integers up to here are exact in float64
# Elements drawn at once. On a CPU as many as torch still treats in one thread (its grain), which fit the cache: seen 15
# times faster than twice as many on two busy cores. On a GPU launches are what costs, some 120 a chunk; a chunk's
# intermediate values hold 64 MiB each.
CPU_CHUNK, GPU_CHUNK = 1 << 15, 1 << 23
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where values come from and go to: the folder of look-up tables, and torch's name of the device."""

    tables: Path
    device: str


def dtype_of(name: str) -> Any:
    """torch's dtype. Raises Fault where this torch has none of the name."""
    import torch

    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise Fault("environment", "unavailable", f"torch {torch.__version__} has no dtype {name}")
    return found


def drawn(spec: TensorArg, source: Source) -> Any:
    """All values in C order as one flat tensor of the dtype, whatever the strides."""
    import torch

    dtype = dtype_of(spec.dtype)
    if spec.fill.kind in ARRANGED:
        return typed(arranged(spec, source.device), dtype).reshape(-1)
    parts = 2 if dtype.is_complex else 1
    part = dtype.to_real() if dtype.is_complex else dtype
    values = torch.empty(math.prod(spec.shape) * parts, dtype=part, device=source.device)
    for start, count in spans(values.numel(), CPU_CHUNK if source.device == "cpu" else GPU_CHUNK):
        values[start : start + count].copy_(typed(valued(spec, start, count, source), part))
    return torch.view_as_complex(values.view(-1, 2)) if dtype.is_complex else values


def arranged(spec: TensorArg, device: str) -> Any:
    """float64, in rows; as the gate's generator has it."""
    import torch

    fill, count = spec.fill, math.prod(spec.shape)
    row = spec.shape[-1] if spec.shape and fill.kind != "pages" else count
    rows = count // row if row else 0
    match fill.kind:
        case "distinct" | "rising" | "pages":
            size = int(fill.b)
            drawn = words(spec.stream, (0, rows * size), VALUES, device).view(rows, size)
            chosen = torch.argsort(drawn, dim=1, stable=True)[:, :row]
            return (chosen.sort(dim=1).values if fill.kind == "rising" else chosen).to(torch.float64)
        case "step":
            places = torch.arange(row, dtype=torch.float64, device=device)
            return torch.where(places < fill.a, 0.0, fill.b).to(torch.float64).expand(rows, row)
    above = fill.b + 1 if fill.kind == "offsets" else fill.b
    asked = replace(fill, kind="integers", a=0.0, b=above)
    values = integers(asked, words(spec.stream, (0, count), VALUES, device)).view(rows, row).sort(dim=1).values
    if fill.kind == "offsets" and row:
        values[:, 0], values[:, -1] = 0, int(fill.b)
    return values.to(torch.float64)


def refresh_offset(count: int, seed: int) -> int:
    """How far the sample of this seed moves `count` values along."""
    return (seed * REFRESH % 2**64) % max(count, 1)


def spans(count: int, chunk: int) -> Iterator[tuple[int, int]]:
    for start in range(0, count, chunk):
        yield start, min(chunk, count - start)


def words(stream: int, span: tuple[int, int], purpose: int, device: str) -> Any:
    """Words `start` … `start + count - 1` of a stream, as int64."""
    import torch

    start, count = span
    blocks = torch.arange(start // 4, (start + count + 3) // 4, dtype=torch.int64, device=device)
    lanes = philox(blocks, (stream & LOW, stream >> 32), purpose)
    return torch.stack(lanes, dim=1).view(-1)[start % 4 :][:count]


def philox(blocks: Any, key: tuple[int, int], purpose: int) -> tuple[Any, Any, Any, Any]:
    """Philox4x32-10. A 64-bit product wraps in int64, which leaves both of its halves right once masked."""
    c0, c1 = blocks & LOW, blocks >> 32
    c2, c3 = blocks.new_full(blocks.shape, purpose), blocks.new_zeros(blocks.shape)
    k0, k1 = key
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0 = (second >> 32).bitwise_and_(LOW).bitwise_xor_(c1).bitwise_xor_(k0)
        c2 = (first >> 32).bitwise_and_(LOW).bitwise_xor_(c3).bitwise_xor_(k1)
        c1, c3 = second.bitwise_and_(LOW), first.bitwise_and_(LOW)
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    return c0, c1, c2, c3


def valued(spec: TensorArg, start: int, count: int, source: Source) -> Any:
    """float64, before the dtype."""
    values = filled(spec.fill, words(spec.stream, (start, count), VALUES, source.device), source)
    if spec.scale != 1.0:
        values = values * spec.scale
    if spec.zeros > 0:
        mask = words(spec.stream, (start, count), ZEROS, source.device) < threshold(spec.zeros)
        values = values.masked_fill(mask, 0.0)
    return values


def filled(fill: Fill, word: Any, source: Source) -> Any:
    import torch

    match fill.kind:
        case "normal":
            return table(source, fill.table, "float64")[word >> 16] * fill.b + fill.a
        case "uniform":
            return (word >> 8).to(torch.float64) * 2.0**-24 * (fill.b - fill.a) + fill.a
        case "integers":
            return integers(fill, word).to(torch.float64)
        case "mask":
            return (word < threshold(fill.a)).to(torch.float64)
        case "constant":
            return torch.full(word.shape, fill.a, dtype=torch.float64, device=word.device)
        case "zipf":
            weights = table(source, fill.table, "uint32")
            found = torch.searchsorted(weights, word, right=True)
            return found.clamp_(max=len(weights) - 1).to(torch.float64)


def integers(fill: Fill, word: Any) -> Any:
    """int(a) + (word * span >> 32), in two halves, so that no product needs more than 48 bits."""
    span = int(fill.b) - int(fill.a)
    return (((word >> 16) * span + ((word & 0xFFFF) * span >> 16)) >> 16) + int(fill.a)


def threshold(share: float) -> int:
    return math.ceil(min(max(share, 0.0), 1.0) * 2**32)


def typed(values: Any, dtype: Any) -> Any:
    """float64 to `dtype`, floats by way of float32, as the definition has it."""
    import torch

    if dtype == torch.float64:
        return values
    if dtype == torch.bool:
        return values != 0
    if dtype.is_floating_point:
        single = values.to(torch.float32)
        if dtype.itemsize == 1:
            single = single.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
        return single.to(dtype)
    limits = torch.iinfo(dtype)
    return values.trunc().clamp(max(limits.min, -EXACT), min(limits.max, EXACT)).to(torch.int64).to(dtype)


@functools.lru_cache(maxsize=32)
def table(source: Source, name: str, dtype: str) -> Any:
    """A look-up table on the device; uint32 as int64, which torch can search."""
    import torch

    data = bytearray((source.tables / name).read_bytes())
    loaded = torch.frombuffer(data, dtype=torch.float64 if dtype == "float64" else torch.int32)
    if dtype == "uint32":
        loaded = loaded.to(torch.int64) & LOW
    return loaded.to(source.device)
