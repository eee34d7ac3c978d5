"""Outputs against their reference: what is said before a value is read, and of values."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.compare import compare
from kgate.model import Bound
from tests.unit.numbers.tensorfiles import exported

ROW = Bound(source="cap", row_error=0.01, relative_l2=0.01)
EXACT = Bound(source="cap", rtol=0.0, atol=0.0)


@pytest.fixture
def tensor(tmp_path):
    count = iter(range(1000))
    return lambda values, dtype="float64": exported(tmp_path, str(next(count)), values, dtype)


def test_a_rounded_answer_holds_and_has_every_metric(tensor):
    values = np.linspace(-1, 1, 64).reshape(4, 16)

    (found,) = compare([tensor(values, "bfloat16")], [tensor(values)], [tensor(values, "bfloat16")], [ROW])

    assert found.holds
    assert len(found.metrics) == 11
    assert found.metrics["ulp"].value <= 0.5


@pytest.mark.parametrize(
    ("outputs", "wanted", "sentence"),
    [
        (2, 1, "2 outputs, the fallback gives 1"),
        (1, 3, "1 output, the fallback gives 3"),
        (0, 1, "no outputs, the fallback gives 1"),
        (1, 0, "1 output, the fallback gives none"),
    ],
)
def test_another_number_of_outputs_is_one_sentence_and_no_values(tensor, outputs, wanted, sentence):
    some = [tensor([1.0])] * 3

    (found,) = compare(some[:outputs], some[:wanted], some[:wanted], [ROW] * wanted)

    assert found.mismatch == sentence
    assert not found.metrics
    assert not found.holds


def test_without_a_fallback_the_number_is_the_references(tensor):
    one = tensor([1.0])

    (found,) = compare([one, one], [one], None, [ROW, ROW])

    assert found.mismatch == "2 outputs, the reference gives 1"


def test_no_outputs_where_none_are_due_is_no_comparison():
    assert compare([], [], [], []) == ()


def test_a_dtype_other_than_the_fallbacks_is_said_per_output(tensor):
    good, single, half = tensor([1.0]), tensor([1.0], "float32"), tensor([1.0], "bfloat16")

    first, second = compare([half, single], [good, good], [half, half], [ROW, ROW])

    assert first.holds
    assert second.mismatch == "output 1 is float32, the fallback gives bfloat16"


@pytest.mark.parametrize(("with_fallback", "giver"), [(True, "fallback"), (False, "reference")])
def test_another_shape_is_said_with_both(tensor, with_fallback, giver):
    wanted = tensor(np.zeros((2, 3)))

    (found,) = compare([tensor(np.zeros(6))], [wanted], [wanted] if with_fallback else None, [ROW])

    assert found.mismatch == f"output 0 has shape [6], the {giver} gives [2, 3]"


def test_without_a_fallback_integers_for_floats_are_another_kind(tensor):
    (found,) = compare([tensor([1, 2], "int32")], [tensor([1.0, 2.0])], None, [EXACT])

    assert found.mismatch == "output 0 is int32 (integer), the reference gives float64 (floating point)"


def test_a_dtype_that_cannot_be_read_is_named(tensor):
    odd = replace(tensor([1.0]), dtype="float4_e2m1fn_x2")

    (found,) = compare([odd], [tensor([1.0])], [odd], [ROW])

    assert found.mismatch == "output 0 cannot be compared: dtype float4_e2m1fn_x2 is not supported by this version"


def test_a_broken_row_error_is_said_with_its_numbers(tensor):
    (found,) = compare([tensor([1.0, 0.917])], [tensor([1.0, 1.0])], None, [ROW])

    assert found.broken == (
        "row error 0.083, at most 0.01 allowed",
        "relative L2 error 0.0587, at most 0.01 allowed",
    )


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "bound",
    [
        ROW,
        Bound(source="manifest", rtol=1e30, atol=1e30),
        Bound(source="manifest", atol=math.inf),
        Bound(source="manifest", psnr=-1e30),
        Bound(source="manifest", cosine=-1.0),
    ],
)
def test_no_bound_accepts_nan_or_infinity_where_a_number_is_due(tensor, wrong, bound):
    (found,) = compare([tensor([1.0, wrong])], [tensor([1.0, 2.0])], None, [bound])

    assert found.broken


def test_tolerances_by_hand_name_the_worst_place(tensor):
    bound = Bound(source="manifest", rtol=0.01, atol=1e-3)

    (found,) = compare([tensor([1.0, 2.5, 3.0])], [tensor([1.0, 2.0, 3.0])], None, [bound])

    assert found.broken == (
        "1 of 3 elements are off by more than 0.001 + 0.01 × |expected|, the worst at [1]: 2.5, expected 2",
    )


def test_psnr_and_cosine_by_hand_are_lower_limits(tensor):
    bound = Bound(source="manifest", psnr=40.0, cosine=0.999)

    (found,) = compare([tensor([1.0, 0.0])], [tensor([1.0, 0.1])], None, [bound])

    assert found.broken == (
        "PSNR 23.01 dB, at least 40 dB asked for",
        "cosine 0.995, at least 0.999 asked for",
    )


def test_integers_are_exact(tensor):
    (found,) = compare([tensor([1, 2], "int64")], [tensor([1, 3], "int64")], None, [EXACT])

    assert found.broken == ("1 of 2 elements differ, none may",)


def test_a_bound_of_nothing_accepts_nothing(tensor):
    (found,) = compare([tensor([1.0])], [tensor([1.0])], None, [Bound(source="manifest")])

    assert found.broken == ("no bound is set: give this dtype a tolerance with at least one number",)


@pytest.mark.parametrize("limit", ["row_error", "relative_l2", "psnr", "cosine"])
def test_a_nan_limit_is_never_met(tensor, limit):
    (found,) = compare([tensor([1.0])], [tensor([1.0])], None, [Bound(source="manifest", **{limit: math.nan})])

    assert found.broken


@pytest.mark.parametrize(
    ("bound", "accepts"),
    [
        (Bound(source="manifest", atol=0.5), True),
        (Bound(source="manifest", rtol=1.0), True),
        (Bound(source="manifest", rtol=0.5, atol=0.25), True),
        (Bound(source="manifest", psnr=3.0), True),
        (Bound(source="manifest", atol=0.4), False),
        (Bound(source="manifest", rtol=0.5), False),
        (Bound(source="manifest", psnr=20.0), False),
        (Bound(source="manifest", atol=0.5, cosine=0.5), False),
    ],
)
def test_a_bound_by_hand_that_zeros_would_meet_is_told(tensor, bound, accepts):
    expected = [0.5, -0.25, 0.125]

    (found,) = compare([tensor(expected, "float32")], [tensor(expected)], None, [bound])

    assert found.holds
    assert found.accepts_zeros is accepts


def test_a_softmax_over_a_long_row_meets_a_high_psnr_with_zeros(tensor):
    peaky = np.eye(4, 4096)

    (found,) = compare([tensor(peaky, "float16")], [tensor(peaky)], None, [Bound(source="manifest", psnr=30.0)])

    assert found.accepts_zeros


@pytest.mark.parametrize("expected", [[], [0.0, -0.0], [1e-30, 0.0]])
def test_zeros_are_accepted_with_right_where_nothing_else_is_expected(tensor, expected):
    bound = Bound(source="manifest", atol=1.0)

    (found,) = compare([tensor(expected, "float16")], [tensor(expected)], None, [bound])

    assert found.holds
    assert not found.accepts_zeros


def test_a_bound_of_kgates_own_is_not_asked_about_zeros(tensor):
    (found,) = compare([tensor([1.0])], [tensor([1.0])], None, [Bound(source="derived", row_error=2.0)])

    assert not found.accepts_zeros


@given(values=st.lists(st.floats(-2, 2, width=16), min_size=1, max_size=20), atol=st.floats(0, 2))
def test_zeros_are_accepted_where_every_expected_number_is_below_the_atol(tmp_path_factory, values, atol):
    same = exported(tmp_path_factory.mktemp("zeros"), "same", values)

    (found,) = compare([same], [same], None, [Bound(source="manifest", atol=atol)])

    assert found.accepts_zeros is (0 < max(map(abs, values)) <= atol)


def test_whose_form_is_not_kept_is_said_by_name(tensor):
    like = [tensor([1.0], "float32")]

    (dtype,) = compare([tensor([1.0], "float16")], [tensor([1.0])], like, [ROW], "base's fallback")
    (number,) = compare([tensor([1.0])] * 2, [tensor([1.0])], like, [ROW], "base's fallback")

    assert dtype.mismatch == "output 0 is float16, base's fallback gives float32"
    assert number.mismatch == "2 outputs, base's fallback gives 1"


def test_an_empty_output_holds_without_numbers(tensor):
    (found,) = compare([tensor(np.empty((0, 4)))], [tensor(np.empty((0, 4)))], None, [ROW])

    assert found.holds
    assert not found.metrics


def test_bounds_that_do_not_fit_the_outputs_are_a_mistake_of_the_caller(tensor):
    with pytest.raises(ValueError, match="2 bounds for 1 outputs"):
        compare([tensor([1.0])], [tensor([1.0])], None, [ROW, ROW])


@given(values=st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=30))
def test_what_is_equal_holds_under_the_tightest_bound(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("equal")
    same = exported(folder, "same", values)

    (found,) = compare([same], [same], [same], [EXACT])

    assert found.holds
