"""
Raw bytes to NumPy arrays: what kgate knows of a dtype, and how it reads an exported tensor.

Names are torch's without "torch."; ml_dtypes supplies what NumPy lacks. Everything numeric that the gate does goes
through float64, which holds every float dtype here exactly.
"""

import math
import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from kgate.errors import HostError
from kgate.model import Tensor

Floats = npt.NDArray[np.float64]


class Kind(str, Enum):
    FLOAT = "floating point"
    COMPLEX = "complex"
    INTEGER = "integer"
    BOOL = "bool"


@dataclass(frozen=True, kw_only=True)
class Dtype:
    """
    A dtype of torch's. `part` is the real dtype of one number: that of the real and of the imaginary part, if complex.

    `eps` is the distance from 1 to the next larger number (one unit in the last place of 1; the unit roundoff is half
    of it), `tiny` the smallest normal number, `largest` the largest finite one, all of `part`. For integers and bool
    `eps` is 0 and `tiny` 1. `infinite` is False where nothing beyond `largest` is there but NaN (float8_e4m3fn, *fnuz).
    """

    name: str
    kind: Kind
    numpy: np.dtype[Any]
    part: np.dtype[Any]
    eps: float
    tiny: float
    largest: float
    infinite: bool

    @property
    def element_bytes(self) -> int:
        return self.numpy.itemsize

    @property
    def parts(self) -> int:
        """Numbers in one element: 2 if complex, else 1."""
        return self.numpy.itemsize // self.part.itemsize

    @property
    def overflow(self) -> float:
        """The least magnitude that rounds past `largest`, half a unit in the last place above it; inf for float64."""
        if self.eps == 0 or self.largest == np.finfo(np.float64).max:
            return math.inf
        return self.largest + self.eps / 2 * 2.0 ** math.floor(math.log2(self.largest))


def _float(name: str, scalar: Any, kind: Kind = Kind.FLOAT) -> Dtype:
    whole = np.dtype(scalar)
    part = np.dtype(f"f{whole.itemsize // 2}") if kind is Kind.COMPLEX else whole
    facts: Any = ml_dtypes.finfo(part)  # type: ignore[no-untyped-call]
    with np.errstate(over="ignore"):
        infinite = bool(np.isinf(np.array([np.inf], np.float32).astype(part).astype(np.float64))[0])
    return Dtype(
        name=name,
        kind=kind,
        numpy=whole,
        part=part,
        eps=float(facts.eps),
        tiny=float(facts.smallest_normal),
        largest=float(facts.max),
        infinite=infinite,
    )


def _whole(name: str) -> Dtype:
    dtype = np.dtype(name)
    kind = Kind.BOOL if name == "bool" else Kind.INTEGER
    largest = 1.0 if name == "bool" else float(np.iinfo(dtype).max)
    return Dtype(name=name, kind=kind, numpy=dtype, part=dtype, eps=0.0, tiny=1.0, largest=largest, infinite=False)


_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

DTYPES: Mapping[str, Dtype] = {
    dtype.name: dtype
    for dtype in (
        *(_float(name, name) for name in ("float64", "float32", "float16")),
        *(_float(name, getattr(ml_dtypes, name)) for name in _NARROW),
        *(_float(name, name, Kind.COMPLEX) for name in ("complex64", "complex128")),
        *(_whole(name) for name in (*_INTEGERS, "bool")),
    )
}


def dtype_of(name: str) -> Dtype:
    """Raises HostError for a dtype that this version cannot read."""
    if name not in DTYPES:
        raise HostError(f"dtype {name}: not supported by this version; supported are {', '.join(sorted(DTYPES))}")
    return DTYPES[name]


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """
    (rows, columns) of an array of this shape: a row runs along the last dimension longer than 1.

    A column of single numbers, as `keepdim` leaves it, is one row: its entries are each other's measure.
    """
    count = math.prod(shape)
    columns = next((size for size in reversed(shape) if size != 1), 1)
    return (count // columns if columns else 0, columns)


def read_matrix(tensor: Tensor) -> npt.NDArray[Any]:
    """
    The file's numbers as (rows, columns) of `part`, read-only and mapped, not loaded; columns count both parts of a
    complex number. Raises HostError if the file's size is not that of shape and dtype.
    """
    dtype = dtype_of(tensor.dtype)
    rows, columns = matrix_shape(tensor.shape)
    shape = (rows, columns * dtype.parts)
    size_bytes = rows * columns * dtype.element_bytes
    if (found_bytes := tensor.path.stat().st_size) != size_bytes:
        raise HostError(f"{tensor.path}: {found_bytes} bytes, {tensor.dtype} of shape {tensor.shape} has {size_bytes}")
    if not size_bytes:  # an empty file cannot be mapped
        return np.empty(shape, dtype.part)
    with tensor.path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    mapped.madvise(mmap.MADV_SEQUENTIAL)
    return np.frombuffer(mapped, dtype.part).reshape(shape)


def read_array(tensor: Tensor) -> npt.NDArray[Any]:
    """As `read_matrix`, in the tensor's own shape and dtype."""
    flat = read_matrix(tensor).reshape(-1)
    return flat.view(dtype_of(tensor.dtype).numpy).reshape(tensor.shape)


_BYTE_VALUES: Mapping[np.dtype[Any], Floats] = {
    dtype.part: np.arange(256, dtype=np.uint8).view(dtype.part).astype(np.float64)
    for dtype in DTYPES.values()
    if dtype.kind is Kind.FLOAT and dtype.element_bytes == 1
}


def widened(array: npt.NDArray[Any]) -> Floats:
    """The same numbers as float64; exact but for integers beyond 2**53."""
    if array.dtype == ml_dtypes.bfloat16:
        # Its bits are the upper half of a float32's; ml_dtypes converts one element at a time, ten times slower.
        bits = array.view(np.uint16).astype(np.uint32)
        np.left_shift(bits, 16, out=bits)
        with np.errstate(invalid="ignore"):  # signalling NaNs are NaNs
            return bits.view(np.float32).astype(np.float64)
    if (values := _BYTE_VALUES.get(array.dtype)) is not None:
        return values[array.view(np.uint8)]
    with np.errstate(invalid="ignore"):
        return array.astype(np.float64, copy=False)


def narrowed(values: Floats, dtype: Dtype) -> npt.NDArray[Any]:
    """
    float64 to a float or complex dtype (for complex: interleaved parts), as torch does it: to float32 first, then to
    anything narrower, each time to nearest, ties to even. fp8 saturates at its largest finite value; others go to inf.
    """
    if dtype.part == np.float64:
        return values.view(dtype.numpy)
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
        if dtype.part.itemsize == 1:
            np.clip(single, -dtype.largest, dtype.largest, out=single)
        return single.astype(dtype.part, copy=False).view(dtype.numpy)
