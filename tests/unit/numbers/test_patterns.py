"""What wrong elements are said to have in common."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.chunks import Allowance, chunks
from kgate.patterns import pattern
from kgate.tensors import DTYPES, matrix_shape

ROWS = np.linspace(1.0, 2.0, 6 * 32).reshape(6, 32)


def said(value, expected, dtype="float32", limit=1 << 15) -> str:
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    shape = matrix_shape(value.shape)
    pieces = chunks(
        value.reshape(shape),
        expected.reshape(shape),
        dtype=DTYPES[dtype],
        shape=value.shape,
        allowance=Allowance(relative=1e-5),
        limit=limit,
    )
    found = pattern(pieces)
    return found.where if found else ""


def changed(where, to) -> np.ndarray:
    value = ROWS.copy()
    value[where] = to(value[where])
    return value


def test_nothing_wrong_shares_nothing():
    assert said(ROWS, ROWS) == ""


@pytest.mark.parametrize(("filler", "words"), [(0.0, "all of them are 0"), (math.nan, "all of them are NaN")])
def test_elements_that_are_all_one_thing(filler, words):
    value = changed(np.s_[2:4], lambda x: np.full_like(x, filler))

    assert said(value, ROWS) == words


def test_a_scale_that_was_never_applied():
    value = changed(np.s_[1:], lambda x: 560 * x)

    assert said(value, ROWS).startswith("each is 560 times what is expected")


def test_a_sign_that_was_exchanged():
    assert said(-ROWS, ROWS) == "all have the other sign"


def test_sizes_that_are_far_off_and_no_one_factor():
    rng = np.random.default_rng(1)

    assert said(ROWS * rng.uniform(300, 900, ROWS.shape), ROWS).startswith("together they are ")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (np.s_[:, 3::8], "only columns with number mod 8 = 3"),
        (np.s_[1::2], "only rows with number mod 2 = 1"),
    ],
)
def test_every_so_manieth_row_or_column(where, words):
    rng = np.random.default_rng(1)
    value = changed(where, lambda x: x + rng.uniform(0.5, 1, x.shape))

    assert said(value, ROWS) == words


def test_two_wrong_columns_make_no_step():
    value = ROWS.copy()
    value[0, [3, 11]] += [0.3, 0.9]

    assert said(value, ROWS) == ""


def test_small_ones_alone():
    expected = np.geomspace(1e-42, 1.0, 200)
    value = np.where(expected < 1e-38, 0.0, expected)

    largest = expected[expected < 1e-38].max()
    assert said(value, expected) == f"all of them are 0, only where |expected| is at most {largest:.3g}"


def test_large_ones_alone():
    expected = np.linspace(1.0, 100.0, 200)
    value = np.minimum(expected, 80.0)

    assert said(value, expected) == "only where |expected| is at least 80.1"


@given(
    wrong=st.lists(st.integers(0, 191), min_size=1, max_size=20, unique=True),
    factor=st.sampled_from([0.0, -1.0, 2.0, math.nan, math.inf]),
    limit=st.integers(1, 60),
)
def test_the_cut_into_chunks_does_not_show(wrong, factor, limit):
    value = ROWS.copy().reshape(-1)
    value[wrong] *= factor
    value = value.reshape(ROWS.shape)

    assert said(value, ROWS, limit=limit) == said(value, ROWS)
