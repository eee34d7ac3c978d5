"""Every entry of METRICS through its whole contract; a file that is missing from the table fails."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgate.metrics
from kgate.chunks import Allowance, chunks
from kgate.metrics import METRICS
from kgate.model import Direction, Metric
from kgate.tensors import DTYPES, matrix_shape

ALL = sorted(METRICS)
SUMS = {"rmse", "relative_l2", "psnr", "cosine"}  # the others must not depend on the cut by a single bit
WORST = {"psnr": -math.inf, "cosine": -1.0, "mismatch": 0.25, "extent": 0.25}  # of what may be; else inf


def fold(name, value, expected, dtype="float32", limit=1 << 15, allowance=None) -> Metric | None:
    known = DTYPES[dtype]
    value, expected = np.asarray(value), np.asarray(expected)
    rows, columns = matrix_shape(value.shape)
    module = METRICS[name]
    state = module.start()
    for chunk in chunks(
        value.reshape(rows, columns),
        expected.reshape(rows, columns),
        dtype=known,
        shape=value.shape,
        allowance=allowance or Allowance(row=0.5),
        limit=limit,
    ):
        state = module.add(state, chunk)
    return module.finish(state)


def test_every_file_of_the_folder_is_in_the_table():
    files = {path.stem for path in Path(kgate.metrics.__file__).parent.glob("*.py")} - {"__init__"}

    assert files == set(METRICS)


@pytest.mark.parametrize("name", ALL)
def test_the_metric_is_named_as_its_file_and_its_entry(name):
    found = fold(name, [1.0, 2.0], [1.0, 2.5])

    assert METRICS[name].NAME == METRICS[name].__name__.rpartition(".")[2] == name
    assert found is not None
    assert found.name == name
    assert isinstance(found.direction, Direction)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_an_empty_output_has_no_number(name, shape):
    assert fold(name, np.empty(shape), np.empty(shape)) is None


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.inf, 1.0),
        (1.0, math.inf),
        (math.inf, -math.inf),
        (math.nan, math.inf),
        (1.0, 1e39),  # beyond float32: it should have become inf
    ],
)
def test_one_disagreement_about_nan_or_infinity_is_as_bad_as_can_be(name, value, expected):
    found = fold(name, [1.0, 2.0, value, 3.0], [1.0, 2.0, expected, 3.0])

    assert found is not None
    if name == "worst":
        assert found.value == 2
    else:
        assert found.value == WORST.get(name, math.inf)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("same", [math.nan, math.inf, -math.inf])
def test_agreement_on_nan_or_infinity_is_no_error(name, same):
    with_it = fold(name, [1.0, 2.0, same, 3.0], [1.0, 2.0, same, 3.0])

    perfect = {"psnr": math.inf, "cosine": 1.0}
    assert with_it is not None
    assert with_it.value == pytest.approx(perfect.get(name, 0.0))


@pytest.mark.parametrize("name", ALL)
def test_an_expected_overflow_is_met_by_infinity(name):
    found = fold(name, [1.0, math.inf], [1.0, 1e39])

    assert found is not None
    assert found.value == pytest.approx({"psnr": math.inf, "cosine": 1.0}.get(name, 0.0))


@pytest.mark.parametrize("name", ALL)
def test_a_scalar_is_a_row_of_one(name):
    assert fold(name, np.array(1.0), np.array(1.0)) is not None


numbers = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, math.nan, math.inf, -math.inf])


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60)
@given(data=st.data())
def test_the_cut_into_chunks_does_not_show(name, data):
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 9))
    count = rows * columns
    expected = np.array(data.draw(st.lists(numbers, min_size=count, max_size=count))).reshape(rows, columns)
    change = data.draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, -0.25, 1e-3]), min_size=count, max_size=count))
    value = expected + np.array(change).reshape(rows, columns)
    limit = data.draw(st.integers(1, 50))

    whole, cut = fold(name, value, expected), fold(name, value, expected, limit=limit)

    assert whole is not None
    assert cut is not None
    if name in SUMS:
        assert cut.value == pytest.approx(whole.value, rel=1e-9, abs=1e-12)
    else:
        assert cut == whole


TINY = (5e-324, 1e-162, 1e-161, 2.2250738585072014e-308, 1e-45, 1.2e-38)  # squares and quotients underflow
HUGE = (3.4e38, 1e154, 1e155, 1e308, 1.7976931348623157e308)
EXTREMES = (0.0, 1.0, math.nan, math.inf, *TINY, *HUGE)
extremes = st.sampled_from(EXTREMES).flatmap(lambda x: st.sampled_from([x, -x])) | st.floats()


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=100)
@given(
    dtype=st.sampled_from(["float64", "float32", "bfloat16", "float8_e4m3fn"]),
    pairs=st.lists(st.tuples(extremes, extremes), min_size=1, max_size=12),
    limit=st.integers(1, 12),
)
def test_denormals_and_extremes_give_a_number_without_a_warning(name, dtype, pairs, limit):
    value, expected = (np.array(side).reshape(1, -1) for side in zip(*pairs, strict=True))

    found = fold(name, value, expected, dtype, limit=limit, allowance=Allowance(row=0.5, relative=1e30, absolute=1e300))

    assert found is not None
    assert not math.isnan(found.value)


def test_an_error_that_is_nearly_nothing_has_a_psnr():
    found = fold("psnr", [0.0] * 64, [1e-161] * 64)

    assert found is not None
    assert math.isfinite(found.value)


@pytest.mark.parametrize("name", ALL)
def test_adding_a_chunk_leaves_the_state_before_it_as_it_was(name):
    module = METRICS[name]
    known = {"dtype": DTYPES["float32"], "shape": (2, 2), "allowance": Allowance(), "limit": 2}
    first, second = chunks(np.array([[1.0, 2], [3, 9]]), np.array([[1.0, 2], [3, 4]]), **known)
    state = module.add(module.start(), first)
    before = module.finish(state)

    module.add(state, second)

    assert module.finish(state) == before


@pytest.mark.parametrize("name", [n for n in ALL if n != "ulp"])
def test_integers_have_the_number_too(name):
    assert fold(name, np.array([1, 2], np.int32), np.array([1, 2], np.int64), "int32") is not None
