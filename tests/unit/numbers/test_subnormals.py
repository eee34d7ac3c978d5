"""Numbers below the smallest normal one: compared as they are, and as zeros where the manifest accepts that."""

from pathlib import Path

import numpy as np
import pytest

from kgate.bounds import flushed
from kgate.compare import compare
from kgate.model import Bound, Comparison
from kgate.tensors import DTYPES
from kgate.tolerance import cap
from tests.unit.numbers.tensorfiles import exported

TINY = {"float32": 2.0**-126, "float16": 2.0**-14, "bfloat16": 2.0**-126}


def held(folder: Path, value: object, expected: object, dtype: str, accepted: bool) -> Comparison:
    output = exported(folder, "out", value, dtype)
    bounds: tuple[Bound, ...] = (cap(dtype, 4),)
    (found,) = compare(
        [output],
        [exported(folder, "reference", expected)],
        None,
        flushed(bounds, [output]) if accepted else bounds,
    )
    return found


@pytest.mark.parametrize("dtype", TINY)
def test_zeros_in_place_of_tiny_numbers_hold_only_where_that_is_accepted(tmp_path: Path, dtype: str) -> None:
    tiny = TINY[dtype] * np.array([[0.5, -0.25, 0.9]])

    found = [held(tmp_path, np.zeros((1, 3)), tiny, dtype, accepted) for accepted in (False, True)]

    assert [c.holds for c in found] == [False, True]


@pytest.mark.parametrize("dtype", TINY)
def test_who_keeps_them_is_right_as_well(tmp_path: Path, dtype: str) -> None:
    tiny = TINY[dtype] * np.array([[0.5, -0.25, 1.0]])

    assert held(tmp_path, tiny, tiny, dtype, True).holds


def test_a_number_that_one_rounding_takes_below_the_smallest_may_be_zero(tmp_path: Path) -> None:
    least = TINY["float32"] * (1 + 2.0**-40)

    assert held(tmp_path, [[0.0]], [[least]], "float32", True).holds


@pytest.mark.parametrize("expected", [2.1 * TINY["float32"], 1e-30, 1.0])
def test_zeros_for_normal_numbers_never_hold(tmp_path: Path, expected: float) -> None:
    assert not held(tmp_path, [[0.0]], [[expected]], "float32", True).holds


def test_whole_numbers_have_none(tmp_path: Path) -> None:
    output = exported(tmp_path, "out", [[1, 2]], "int32")

    assert flushed((cap("int32", 1),), [output]) == (cap("int32", 1),)
    assert DTYPES["int32"].tiny == 1.0
