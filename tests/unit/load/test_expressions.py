"""Arithmetic of symbols: Python's own answers are the right values, and nothing but arithmetic is evaluated."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.load.expressions import ExpressionError, evaluate, names_in

NAMES = ("M", "N", "K")
SYMBOLS = {"M": 7, "N": 3, "K": 1024}

numbers = st.integers(0, 50).map(str) | st.sampled_from(NAMES)


def operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner)
    calls = st.tuples(st.sampled_from(["min", "max"]), inner, inner)
    return binary.map(lambda t: f"({t[0]} {t[1]} {t[2]})") | calls.map(lambda t: f"{t[0]}({t[1]}, {t[2]})")


@given(st.recursive(numbers, operations, max_leaves=12))
def test_arithmetic_agrees_with_python(text: str) -> None:
    try:
        expected = eval(text, {"__builtins__": {"min": min, "max": max}}, SYMBOLS)
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="divides by zero"):
            evaluate(text, SYMBOLS)
        return

    assert evaluate(text, SYMBOLS) == expected


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_a_division_is_an_int_exactly_where_it_leaves_nothing(above: int, below: int) -> None:
    result = evaluate("a / b", {"a": above, "b": below})

    assert isinstance(result, int) == (Fraction(above, below).denominator == 1)


@given(st.integers(0, 10**12), st.integers(1, 10**6))
def test_cdiv_is_the_quotient_rounded_up(above: int, below: int) -> None:
    assert evaluate("cdiv(a, b)", {"a": above, "b": below}) == math.ceil(Fraction(above, below))


@given(st.text(max_size=40))
def test_any_text_is_a_number_or_a_refusal(text: str) -> None:
    try:
        result = evaluate(text, {"M": 2})
    except ExpressionError:
        return

    assert isinstance(result, int | float)
    assert math.isfinite(result)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * M * 4096", 57344),
        ("M ** 2", 49),
        ("2 ** -1", 0.5),
        ("-M + 8", 1),
        ("ceil(M / 2)", 4),
        ("min(M, N, 5)", 3),
        ("K % 8 == 0", 1),
        ("1 < M < 7", 0),
        ("1e-3", 0.001),
        (" M ", 7),
    ],
)
def test_what_a_manifest_may_write(text: str, value: float) -> None:
    assert evaluate(text, SYMBOLS) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("m", "'m' is not a symbol; did you mean 'M'?"),
        ("T", "the symbol 'T' is 'float32', not a number; give it a number"),
        ("M // (N - 3)", "'M // (N - 3)' divides by zero; mend it, or the workload's symbols"),
        ("M +", "'M +' is not arithmetic of numbers and symbols; mend it"),
        ("", "'' is not arithmetic of numbers and symbols; mend it"),
        ("max(M", "'max(M' ends early; in a YAML list put what has a comma in quotes"),
        ("floor(M)", "'floor' is not a function of expressions; known: min, max, ceil, cdiv"),
        ("min()", "'min()' is not arithmetic of numbers and symbols; mend it"),
        ("M.real", "'M.real' is not arithmetic of numbers and symbols; mend it"),
        ("().__class__", "'().__class__' is not arithmetic of numbers and symbols; mend it"),
        ("__import__('os')", "'__import__' is not a function of expressions; known: min, max, ceil, cdiv"),
        ("[M][0]", "'[M][0]' is not arithmetic of numbers and symbols; mend it"),
        ("lambda: M", "'lambda: M' is not arithmetic of numbers and symbols; mend it"),
        ("True", "'True' is not arithmetic of numbers and symbols; mend it"),
        ("'a' * 9", "\"'a'\" is not arithmetic of numbers and symbols; mend it"),
        ("9 ** 9 ** 9", "the power 9 ** 387420489 is too large; write a smaller one"),
        ("(-8) ** 0.5", "the power -8 ** 0.5 is no real number; mend it"),
        ("1e308 * 10", "'1e308 * 10' is not finite; mend it, or the workload's symbols"),
        (
            "K ** 23 * K ** 23 * K ** 23 * K ** 23 * K ** 23",
            "'K ** 23 * K ** 23 * K ** 23 * K ** 23 * K ** 23' is too large; mend it, or the workload's symbols",
        ),
        ("2.0 ** 9999", "'2.0 ** 9999' is too large; mend it, or the workload's symbols"),
        ("1" * 501, "an expression of 501 characters, more than 500; shorten it"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, {**SYMBOLS, "T": "float32"})

    assert str(caught.value) == sentence


def test_the_names_of_an_expression_are_its_symbols() -> None:
    assert names_in("min(M, 2) * cdiv(K, N)") == {"M", "N", "K"}
    assert names_in("a phrase, not arithmetic") == frozenset()
