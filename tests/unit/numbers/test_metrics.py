"""What each metric says of small outputs whose numbers can be found by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.chunks import Allowance, chunks
from kgate.metrics import METRICS, measured
from kgate.tensors import DTYPES, matrix_shape

ROW = Allowance(row=0.1)


def metrics(value, expected, dtype="float32", allowance=ROW):
    value, expected = np.asarray(value), np.asarray(expected)
    rows, columns = matrix_shape(value.shape)
    parts = DTYPES[dtype].parts
    flat = [np.ascontiguousarray(a).reshape(-1) for a in (value, expected)]
    if parts == 2:
        flat = [a.view(a.real.dtype) for a in flat]
    matrices = [a.reshape(rows, columns * parts) for a in flat]
    return measured(chunks(*matrices, dtype=DTYPES[dtype], shape=value.shape, allowance=allowance))


def test_the_numbers_of_one_small_output():
    found = metrics([[3.0, 4.0], [10.0, 0.5]], [[3.0, 5.0], [8.0, 0.5]])

    assert found["max_abs"].value == 2.0
    assert found["max_rel"].value == pytest.approx(0.25)
    assert found["rmse"].value == pytest.approx(math.sqrt(5 / 4))
    assert found["relative_l2"].value == pytest.approx(math.sqrt(5 / 98.25))
    assert found["psnr"].value == pytest.approx(20 * math.log10(8 / math.sqrt(5 / 4)))
    assert found["cosine"].value == pytest.approx(109.25 / math.sqrt(125.25 * 98.25))
    assert found["row_error"].value == 0.25
    assert found["mismatch"].value == 0.5
    assert found["mismatch"].where == "2 of 4"
    assert found["worst"].where == "[1, 0]: 10, expected 8"
    assert found["worst"].value == 2


def test_an_error_is_measured_by_the_largest_of_its_own_row():
    found = metrics([[1.0, 0.1], [100.0, 0.1]], [[1.0, 0.0], [100.0, 0.0]])

    assert found["row_error"].value == pytest.approx(0.1)


def test_trailing_dimensions_of_one_do_not_make_rows_of_single_numbers():
    found = metrics(np.array([1e-9, 1.0]).reshape(2, 1), np.array([0.0, 1.0]).reshape(2, 1))

    assert found["row_error"].value == pytest.approx(1e-9)


def test_below_the_smallest_normal_number_a_dtype_owes_no_relative_precision():
    tiny = 2.0**-24  # the smallest float16 above 0; half of it rounds to 0

    found = metrics([[0.0]], [[tiny / 2]], "float16")

    assert found["row_error"].value == 2.0**-25 / 2.0**-14
    assert found["ulp"].value == 0.5


@pytest.mark.parametrize(("dtype", "next_above_one"), [("bfloat16", 1.0078125), ("float16", 1.0009765625)])
def test_the_next_number_is_one_unit_in_the_last_place_away(dtype, next_above_one):
    assert metrics([next_above_one], [1.0], dtype)["ulp"].value == 1.0


@given(st.floats(2.0**-120, 2.0**120, width=32))
def test_ulp_agrees_with_numpys_spacing(expected):
    value = float(np.nextafter(np.float32(expected), np.float32(np.inf)))

    found = metrics([value], [expected])["ulp"].value

    assert found == (value - expected) / float(np.spacing(np.float32(expected)))


def test_relative_error_at_an_expected_zero_is_infinite_only_if_missed():
    assert metrics([0.0, 2.0], [0.0, 1.0])["max_rel"].value == 1.0
    assert metrics([1e-30, 2.0], [0.0, 1.0])["max_rel"].value == math.inf


def test_all_zeros_are_perfect_where_zeros_are_expected():
    found = metrics([0.0, 0.0], [0.0, 0.0])

    assert {n: m.value for n, m in found.items()} == {
        "max_abs": 0.0,
        "max_rel": 0.0,
        "ulp": 0.0,
        "rmse": 0.0,
        "relative_l2": 0.0,
        "psnr": math.inf,
        "cosine": 1.0,
        "mismatch": 0.0,
        "extent": 0.0,
        "row_error": 0.0,
        "worst": 0.0,
    }


def extent(shape, *wrong, dtype="float32"):
    """Of an output of zeros where ones are right, at the flat indices or slices `wrong`."""
    value = np.ones(shape)
    for place in wrong:
        value.reshape(-1)[place] = 0.0
    return metrics(value, np.ones(shape), dtype)["extent"]


def test_a_tail_is_told_with_the_tiles_that_would_leave_it_over():
    # 50257 = 49 × 1024 + 81, and 81 is more than tiles of 64 could leave; 2048 would leave 1105.
    assert extent(50257, slice(50176, None)).where == (
        "first at [50176], all in the last 81 of 50257 elements (what tiles of 128 to 1024 leave over)"
    )
    assert extent(100, slice(97, None)).where == "first at [97], all in the last 3 of 100 elements"


def test_errors_in_some_columns_of_every_row_and_in_some_rows_are_told_apart():
    columns, rows = np.ones((6, 12)), np.ones((6, 12))
    columns[:, 10:] = rows[2:4] = 0.0
    one_spot = extent((6, 10), 34)

    assert metrics(columns, np.ones((6, 12)))["extent"].where == "first at [0, 10], all in the last 2 of 12 columns"
    assert metrics(rows, np.ones((6, 12)))["extent"].where == "first at [2, 0], all in rows 2 to 3 of 6"
    assert one_spot.where == "first at [3, 4], all in row 3 of 6 and column 4 of 10"
    assert one_spot.value == 1 / 60


def test_errors_from_corner_to_corner_have_a_first_place_and_no_block():
    found = extent((4, 8), 0, 31)

    assert found.where == "first at [0, 0], from end to end"
    assert found.value == 1.0


def test_errors_at_the_start_are_no_tail():
    assert extent(1025, slice(0, 4)).where == "first at [0], all in the first 4 of 1025 elements"


def test_the_extent_of_errors_counts_elements_of_a_complex_output():
    right = np.ones(8, np.complex64)
    value = right.copy()
    value[5] += 9j

    assert metrics(value, right, "complex64")["extent"].where == "first at [5], all in element 5 of 8"


def test_nothing_outside_has_no_place():
    assert (extent(9).value, extent(9).where) == (0.0, "")


@given(st.data())
def test_the_block_around_errors_is_that_of_their_smallest_and_largest_indices(data):
    shape = tuple(data.draw(st.lists(st.integers(2, 5), min_size=2, max_size=3)))
    count = math.prod(shape)
    wrong = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=6))
    rows, columns = zip(*(divmod(i, shape[-1]) for i in wrong), strict=True)

    found = extent(shape, *wrong)

    assert found.value == (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) / count
    assert found.where.startswith(f"first at {[int(i) for i in np.unravel_index(min(wrong), shape)]}, ")


def test_all_zeros_are_wholly_wrong_where_others_are_expected():
    found = metrics([0.0, 0.0], [3.0, -4.0])

    assert found["row_error"].value == found["relative_l2"].value == 1.0
    assert found["cosine"].value == 0.0


def test_cosine_does_not_see_a_common_factor():
    assert metrics([2.0, 4.0], [1.0, 2.0])["cosine"].value == pytest.approx(1.0)


def test_integers_beyond_float64_are_still_told_apart():
    found = metrics(np.array([2**60 + 1]), np.array([2**60]), "int64", Allowance())

    assert found["mismatch"].value == 1.0
    assert found["max_abs"].value == 1.0


def test_unsigned_integers_do_not_wrap():
    found = metrics(np.array([0], np.uint8), np.array([255], np.uint8), "uint8", Allowance())

    assert found["max_abs"].value == 255


def test_bools_are_compared_as_0_and_1():
    found = metrics(np.array([True, False]), np.array([True, True]), "bool", Allowance())

    assert found["mismatch"].where == "1 of 2"
    assert "ulp" not in found


def test_the_parts_of_a_complex_number_count_by_themselves():
    found = metrics(np.array([1 + 1j, 2 + 5j]), np.array([1 + 1j, 2 + 4j]), "complex64")

    assert found["worst"].where == "[1] imaginary part: 5, expected 4"
    assert found["mismatch"].where == "1 of 4"


@pytest.mark.parametrize("answer", [448.0, math.nan])
def test_fp8_without_infinity_may_saturate_or_say_nan(answer):
    assert metrics([answer, 1.0], [1e6, 1.0], "float8_e4m3fn")["max_abs"].value == 0.0


@pytest.mark.parametrize("answer", [-448.0, 416.0, 0.0])
def test_fp8_without_infinity_may_not_say_anything_else(answer):
    assert metrics([answer, 1.0], [1e6, 1.0], "float8_e4m3fn")["max_abs"].value == math.inf


def test_without_an_elementwise_allowance_only_disagreement_about_nan_counts():
    anything = Allowance(absolute=math.inf)

    found = metrics([1e30, math.nan, 1.0], [0.0, 1.0, 1.0], allowance=anything)

    assert found["mismatch"].where == "1 of 3"


def test_relative_and_absolute_allowance_add_up_and_include_their_edge():
    found = metrics([1.75, 1.7500001], [1.0, 1.0], "float64", Allowance(relative=0.5, absolute=0.25))

    assert found["mismatch"].where == "1 of 2"


def test_a_norm_below_the_smallest_normal_number_is_no_scale():
    """A product of forty numbers that underflows: 0 is the float32 that it rounds to."""
    assert relative_l2_of(0.0, -9.5e-57) == pytest.approx(9.5e-57 / np.finfo(np.float32).tiny)
    assert relative_l2_of(0.0, 2.4e-38) == 1.0


def relative_l2_of(value: float, expected: float) -> float:
    chunk = next(
        chunks(
            np.array([[value]], np.float32),
            np.array([[expected]]),
            dtype=DTYPES["float32"],
            shape=(),
            allowance=Allowance(row=1.0),
        )
    )
    found = METRICS["relative_l2"].finish(METRICS["relative_l2"].add(METRICS["relative_l2"].start(), chunk))
    assert found is not None
    return found.value
