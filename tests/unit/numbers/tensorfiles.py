"""Arrays as exported tensors, for tests that read files."""

from pathlib import Path

import numpy as np

from kgate.model import Tensor
from kgate.tensors import DTYPES, narrowed


def exported(folder: Path, name: str, values: object, dtype: str = "float64") -> Tensor:
    """`values` rounded to `dtype` as kgate rounds, written to a file of its own."""
    known = DTYPES[dtype]
    array = np.asarray(values)
    flat = np.ascontiguousarray(array).reshape(-1)
    written = narrowed(flat.astype(np.float64), known) if known.eps and known.parts == 1 else flat.astype(known.numpy)
    path = folder / f"{name}.bin"
    path.write_bytes(written.tobytes())
    return Tensor(path=path, dtype=dtype, shape=array.shape, strides=(), device="cpu")
