"""Shadowing: what is reported, and that nothing of it reaches the caller. Numbers need no torch."""

import math
import random

import kgate_dispatch
import pytest


@pytest.fixture
def reports():
    return []


def test_no_shadow_runs_unless_asked_for(product):
    fallbacks = []
    triple = product()
    triple.fallback = fallbacks.append

    for _ in range(100):
        triple(2)

    assert fallbacks == []


def test_a_shadowed_call_reports_how_far_apart_the_paths_are(product, reports):
    triple = product(custom=lambda x: 2.5)
    triple.fallback = lambda x: 2.0
    triple.shadow(1, reports.append)

    answer = triple(7)

    (report,) = reports
    assert answer == 2.5
    assert report.error is None
    assert (report.max_abs, report.relative_l2) == (0.5, 0.25)
    assert report.custom_ns > 0
    assert report.fallback_ns > 0
    assert report.time_ratio == report.custom_ns / report.fallback_ns
    assert report.function == triple.name


def test_the_share_is_the_share_of_the_calls(product, reports):
    triple = product()
    triple.shadow(0.25, reports.append)
    triple._shadow._random = random.Random(1)

    for _ in range(4000):
        triple(2)

    assert 900 <= len(reports) <= 1100  # 4 standard deviations around 1000
    assert triple.counts() == {("custom", "default"): 4000}


def test_a_share_of_zero_turns_it_off(product, reports):
    triple = product()
    triple.shadow(1, reports.append)
    triple.shadow(0, reports.append)

    triple(2)

    assert reports == []


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_that_is_none_is_refused(product, share):
    with pytest.raises(ValueError, match="a share lies between 0 and 1"):
        product().shadow(share, print)


@pytest.mark.parametrize(
    "declaration", [{"needs": lambda: "it is Friday"}, {"when": lambda x: False}], ids=["unavailable", "refused"]
)
def test_a_call_that_falls_back_is_not_shadowed(product, reports, declaration):
    triple = product(**declaration)
    triple.shadow(1, reports.append)

    triple(2)

    assert reports == []


def test_an_error_in_the_shadow_reaches_the_report_and_not_the_caller(product, reports):
    triple = product()
    triple.fallback = lambda x: 1 / 0
    triple.shadow(1, reports.append)

    answer = triple(2)

    assert answer == ("custom", 2)
    assert reports[0].error == "ZeroDivisionError: division by zero"
    assert math.isnan(reports[0].max_abs)


def test_an_error_in_the_callback_is_logged_once_and_not_the_callers(product, lines):
    triple = product()
    triple.shadow(1, lambda report: 1 / 0)

    answers = [triple(2), triple(3)]

    assert answers == [("custom", 2), ("custom", 3)]
    assert [level for level, _ in lines()] == ["ERROR"]
    assert "the callback of its shadow raised" in lines()[0][1]


def test_an_error_of_the_custom_path_is_handled_as_without_a_shadow(product, reports):
    def kernel(x):
        raise OSError("no more")

    triple = product(kernel, fallback_on=OSError)
    triple.shadow(1, reports.append)

    assert triple(2) == ("fallback", 2)
    assert reports == []


def test_answers_of_different_form_are_reported_and_not_compared(product, reports):
    triple = product(custom=lambda x: (1.0, 2.0))
    triple.fallback = lambda x: 1.0
    triple.shadow(1, reports.append)

    triple(2)

    assert "gave 3 tensors and numbers, the fallback 2" in reports[0].error  # with the argument


def test_the_products_own_random_numbers_do_not_change(product, reports):
    triple = product()
    random.seed(7)
    expected = [random.random() for _ in range(3)]

    triple.shadow(0.5, reports.append)
    random.seed(7)
    drawn = []
    for _ in range(3):
        triple(2)
        drawn.append(random.random())

    assert drawn == expected


class TestTensors:
    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch", reason="not run: torch is not installed here")

    @pytest.fixture
    def watched(self, switch, reports):
        def declared(custom, fallback, **shadow):
            function = kgate_dispatch.dispatch(custom=custom, switch=switch)(fallback)
            function.shadow(1, reports.append, **shadow)
            return function

        return declared

    @pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16", "int64", "int8", "complex64"])
    def test_errors_are_those_of_the_formula(self, torch, watched, reports, dtype):
        add = torch.tensor([0, 4, 0], dtype=getattr(torch, dtype))
        function = watched(lambda x: x + add, lambda x: x + 0)

        function(torch.tensor([3, 4, 12], dtype=add.dtype))

        assert reports[0].max_abs == 4
        assert reports[0].relative_l2 == pytest.approx(4 / 13, rel=1e-6)  # 13² = 3² + 4² + 12²

    def test_a_nan_or_infinity_on_both_sides_is_agreement_and_on_one_is_not(self, torch, watched, reports):
        special = torch.tensor([math.nan, math.inf, -math.inf, 1.0])
        function = watched(lambda x: special.clone(), lambda x: x)

        function(special)
        function(torch.tensor([math.nan, math.inf, 5.0, 1.0]))
        function(torch.tensor([0.0, math.inf, -math.inf, 1.0]))

        assert (reports[0].max_abs, reports[0].relative_l2) == (0, 0)
        assert (reports[1].max_abs, reports[1].relative_l2) == (math.inf, math.inf)
        assert math.isnan(reports[2].max_abs)
        assert math.isnan(reports[2].relative_l2)

    def test_an_empty_tensor_is_no_difference(self, torch, watched, reports):
        watched(lambda x: x * 2, lambda x: x * 3)(torch.ones(0))

        assert (reports[0].max_abs, reports[0].relative_l2, reports[0].error) == (0, 0, None)

    def test_a_large_tensor_is_compared_to_its_end(self, torch, watched, reports):
        x = torch.full((3, 400_000), 2.0).t()  # 1.2 million elements, more than are compared at once, and not dense

        def last_is_off(x):
            y = x.clone()
            y[-1, -1] += 4
            return y

        watched(last_is_off, lambda x: x)(x)

        assert reports[0].max_abs == 4
        assert reports[0].relative_l2 == pytest.approx(4 / (2 * 1_200_000**0.5), rel=1e-6)

    def test_the_fallback_sees_what_the_custom_path_saw_and_changes_nothing(self, torch, watched, reports):
        def in_place(by):
            def write(cache, new):
                cache["k"].add_(by)
                return new + by

            return write

        cache, new = {"k": torch.ones(2)}, torch.zeros(2)

        answer = watched(in_place(10), in_place(11))(cache, new)

        assert cache["k"].tolist() == [11, 11]
        assert new.tolist() == [0, 0]
        assert answer.tolist() == [10, 10]
        assert reports[0].max_abs == 1  # the cache is compared as well: 11 and 12

    def test_a_tensor_given_twice_is_the_same_tensor_in_the_shadow(self, torch, watched, reports):
        same = []
        function = watched(lambda q, k: q + k, lambda q, k: same.append(q is k) or q + k)
        x = torch.ones(2)

        function(x, x)

        assert same == [True]

    def test_gradients_are_the_custom_paths_alone(self, torch, watched, reports):
        seen = []
        function = watched(lambda x: x * 2, lambda x: seen.append((x.requires_grad, torch.is_grad_enabled())) or x * 5)
        x = torch.ones(2, requires_grad=True)

        function(x).sum().backward()

        assert x.grad.tolist() == [2, 2]
        assert seen == [(False, False)]

    def test_torchs_random_numbers_do_not_change(self, torch, watched, reports):
        function = watched(lambda x: x, lambda x: torch.nn.functional.dropout(x))
        torch.manual_seed(7)
        expected = torch.rand(3)

        torch.manual_seed(7)
        function(torch.ones(100))

        assert torch.equal(torch.rand(3), expected)

    def test_arguments_too_large_to_copy_are_not_copied(self, torch, watched, reports):
        fallbacks = []
        function = watched(lambda x: x, lambda x: fallbacks.append(x) or x, most_bytes=60)

        function(torch.ones(16))
        function(torch.ones(15))

        assert [len(x) for x in fallbacks] == [15]
        assert reports[0].error == "not run: the arguments hold 64 bytes, most_bytes is 60"
        assert reports[1].error is None

    def test_another_shape_or_dtype_is_an_error_of_the_report(self, torch, watched, reports):
        watched(lambda x: x.double(), lambda x: x)(torch.ones(2))
        watched(lambda x: x[:1], lambda x: x)(torch.ones(2))

        assert reports[0].error.endswith("the custom path gave float64[2] on cpu, the fallback float32[2] on cpu")
        assert reports[1].error.endswith("the custom path gave float32[1] on cpu, the fallback float32[2] on cpu")

    def test_compiled_code_is_not_shadowed(self, torch, watched, reports):
        function = watched(lambda x: x * 2, lambda x: x * 3)

        answer = torch.compile(lambda x: function(x), fullgraph=True, backend="eager")(torch.ones(2))

        assert answer.tolist() == [2, 2]
        assert reports == []

    def test_what_cannot_be_copied_or_compared_is_reported(self, torch, watched, reports):
        function = watched(lambda x: x * 2, lambda x: x * 2)

        answer = torch.func.vmap(function)(torch.ones(3, 2))

        assert answer.tolist() == [[2, 2]] * 3
        assert reports[0].error is not None
