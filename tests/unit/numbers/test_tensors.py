"""Dtypes against their published facts, and files against what was written."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import HostError
from kgate.model import Tensor
from kgate.tensors import DTYPES, dtype_of, matrix_shape, narrowed, read_array, read_matrix, widened


@pytest.mark.parametrize(
    ("name", "element_bytes", "eps", "largest", "tiny", "overflow"),
    [
        ("float16", 2, 2**-10, 65504, 2**-14, 65520),  # IEEE 754 binary16
        ("bfloat16", 2, 2**-7, 255 * 2.0**120, 2.0**-126, 511 * 2.0**119),
        ("float32", 4, 2**-23, (2 - 2**-23) * 2.0**127, 2.0**-126, (2 - 2**-24) * 2.0**127),
        ("float8_e4m3fn", 1, 2**-3, 448, 2**-6, 464),  # Micikevicius et al., FP8 formats for deep learning, 2022
        ("float8_e5m2", 1, 2**-2, 57344, 2**-14, 61440),
    ],
)
def test_a_dtype_is_as_published(name, element_bytes, eps, largest, tiny, overflow):
    found = DTYPES[name]

    assert found.element_bytes == element_bytes
    assert (found.eps, found.largest, found.tiny, found.overflow) == (eps, largest, tiny, overflow)


def test_only_float8_e4m3fn_and_the_fnuz_types_lack_infinity():
    floats = {name for name, dtype in DTYPES.items() if dtype.eps and not dtype.infinite}

    assert floats == {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz"}


def test_an_unknown_dtype_is_refused_by_name():
    with pytest.raises(HostError, match="dtype quint8: not supported by this version"):
        dtype_of("quint8")


@pytest.mark.parametrize("name", [n for n, d in DTYPES.items() if d.eps and d.parts == 1 and d.element_bytes <= 2])
def test_every_number_of_a_narrow_dtype_survives_widening_and_narrowing(name):
    dtype = DTYPES[name]
    bits = np.arange(256**dtype.element_bytes, dtype=f"u{dtype.element_bytes}")
    every = bits.view(dtype.numpy)

    wide = widened(every)

    with np.errstate(invalid="ignore"):
        assert np.array_equal(wide, every.astype(np.float64), equal_nan=True)
    keep = np.isfinite(wide)
    assert (narrowed(wide[keep], dtype).view(bits.dtype) == bits[keep]).all()


@given(st.floats(-1e38, 1e38))
def test_bfloat16_rounds_by_way_of_float32(value):
    found = narrowed(np.array([value]), DTYPES["bfloat16"])

    assert found[0] == np.float32(value).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize(
    ("shape", "matrix"),
    [((), (1, 1)), ((5,), (1, 5)), ((2, 3, 4), (6, 4)), ((7, 1, 1), (1, 7)), ((2, 3, 1), (2, 3)), ((4, 0), (0, 0))],
)
def test_a_row_runs_along_the_last_dimension_longer_than_one(shape, matrix):
    assert matrix_shape(shape) == matrix


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_a_file_is_read_in_its_own_dtype_and_shape(tmp_path, name):
    written = np.array([[0, 1, 1], [1, 0, 1]]).astype(DTYPES[name].numpy)
    path = tmp_path / "out.bin"
    path.write_bytes(written.tobytes())

    found = read_array(Tensor(path=path, dtype=name, shape=(2, 3), strides=(3, 1), device="cpu"))

    assert found.dtype == written.dtype
    assert found.tobytes() == written.tobytes()
    assert not found.flags.writeable


def test_an_empty_file_is_an_empty_matrix(tmp_path):
    (tmp_path / "out.bin").touch()

    found = read_matrix(Tensor(path=tmp_path / "out.bin", dtype="float16", shape=(0, 8), strides=(), device="cpu"))

    assert found.shape == (0, 8)


@pytest.mark.parametrize("size_bytes", [0, 15, 17])
def test_a_file_of_another_size_is_refused(tmp_path, size_bytes):
    path = tmp_path / "out.bin"
    path.write_bytes(bytes(size_bytes))

    with pytest.raises(HostError, match=rf"{size_bytes} bytes, float64 of shape \(2,\) has 16"):
        read_matrix(Tensor(path=path, dtype="float64", shape=(2,), strides=(1,), device="cpu"))
