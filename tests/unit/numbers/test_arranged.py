"""Values with a role are valid whatever is drawn: all promises of the manifest, for many shapes and streams."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgate.philox import draw
from kgate.protocol import Arrangement, Fill, TensorArg

streams = st.integers(0, 2**64 - 1)


def drawn(kind: Arrangement, b: int, shape: tuple[int, ...], stream: int, a: float = 0.0) -> np.ndarray:
    fill = Fill(kind=kind, a=a, b=float(b))
    return draw(TensorArg(shape=shape, dtype="int64", fill=fill, stream=stream), {})


@given(st.integers(0, 4), st.integers(0, 20), st.integers(0, 30), streams)
def test_distinct_numbers_are_distinct_in_their_row_and_rising_ones_are_the_same_in_order(
    rows: int, row: int, more: int, stream: int
) -> None:
    size = max(row + more, 1)

    found = drawn("distinct", size, (rows, row), stream)

    assert all(len(set(one)) == row and set(one) <= set(range(size)) for one in found.tolist())
    assert np.array_equal(np.sort(found, axis=1), drawn("rising", size, (rows, row), stream))


@given(st.integers(1, 4), st.integers(1, 6), st.integers(0, 30), streams)
def test_pages_are_distinct_in_all_of_the_tensor(rows: int, row: int, more: int, stream: int) -> None:
    pages = rows * row + more

    found = drawn("pages", pages, (rows, row), stream).reshape(-1).tolist()

    assert len(set(found)) == rows * row
    assert set(found) <= set(range(pages))


@given(st.integers(1, 3), st.integers(2, 20), st.integers(0, 1000), streams)
def test_offsets_rise_from_nothing_to_all(rows: int, row: int, total: int, stream: int) -> None:
    found = drawn("offsets", total, (rows, row), stream)

    assert (np.diff(found, axis=1) >= 0).all()
    assert (found[:, 0] == 0).all()
    assert (found[:, -1] == total).all()


@given(st.integers(1, 3), st.integers(1, 20), st.integers(1, 50), streams)
def test_sorted_indices_rise_within_their_bound(rows: int, row: int, size: int, stream: int) -> None:
    found = drawn("sorted", size, (rows, row), stream)

    assert (np.diff(found, axis=1) >= 0).all()
    assert found.min() >= 0
    assert found.max() < size


def test_a_permutation_has_every_place_as_often_as_chance_has_it() -> None:
    found = drawn("distinct", 8, (8000, 8), 7)

    counts = np.array([np.bincount(found[:, column], minlength=8) for column in range(8)])

    # 1000 expected of each, with a standard deviation of 30.
    assert np.abs(counts - 1000).max() < 5 * 30


def test_a_step_is_nothing_up_to_its_place_and_all_behind_it() -> None:
    assert drawn("step", 9, (2, 4), 1, a=3.0).tolist() == [[0, 0, 0, 9]] * 2
