"""`refuses`: what fits an expression, which workloads are no cases for it, and what is said of a wrong one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import ManifestError
from kgate.load.expressions import ExpressionError
from kgate.load.refusals import holds
from kgate.model import Refusal
from kgate.protocol import Arg, Fill, TensorArg, ValueArg
from tests.unit.load.conftest import Loading
from tests.unit.load.wrong import manifest

SYMBOLS: dict[str, Any] = {"M": 12, "K": 1024, "D": "float16"}


def tensor(*strides: int) -> TensorArg:
    fill = Fill(kind="normal", a=0.0, b=1.0, table="normal.bin")
    return TensorArg(shape=(12, 8), dtype="bfloat16", fill=fill, stream=1, strides=strides or None)


ARGS: dict[str, Arg] = {
    "x": tensor(),
    "dense": tensor(8, 1),
    "sliced": tensor(16, 1),
    "causal": ValueArg(value=True),
    "scale": ValueArg(value=0.5),
    "mode": ValueArg(value="tanh"),
    "nothing": ValueArg(value=None),
}


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("M % 8 != 0", True),
        ("M % 4 != 0", False),
        ("M % 4", False),
        ("K > 512 and M < 16", True),
        ("K < 512 or M < 12", False),
        ("not K < 512", True),
        ("8 <= M < 13", True),
        ("causal", True),
        ("scale < 1", True),
        ("mode == 'tanh'", True),
        ("mode != 'erf'", True),
        ("x.dtype == bfloat16", True),
        ("x.dtype != bfloat16", False),
        ("x.dtype == D", False),
        ("D == float16", True),
        ("D == 'float16' and not sliced.contiguous", True),
        ("x.contiguous and dense.contiguous", True),
        ("cdiv(M, 8) * 8 - M == 4", True),
    ],
)
def test_an_expression_holds_or_not(when: str, expected: bool) -> None:
    assert holds(when, SYMBOLS, ARGS) is expected


@given(st.integers(0, 300), st.integers(1, 40), st.sampled_from(["==", "!=", "<", ">="]), st.integers(0, 40))
def test_conditions_of_numbers_agree_with_python(m: int, divisor: int, sign: str, right: int) -> None:
    text = f"M % {divisor} {sign} {right} or M == {right}"

    assert holds(text, {"M": m}, {}) == eval(text, {"__builtins__": {}}, {"M": m})


@pytest.mark.parametrize(
    "when",
    ["x.shape == 3", "x.data_ptr()", "__import__('os')", "M.dtype == float16", "x == 'a' == D", "[M]", "M if K else 1"],
)
def test_nothing_else_is_evaluated(when: str) -> None:
    with pytest.raises(ExpressionError):
        holds(when, SYMBOLS, ARGS)


def test_a_workload_that_fits_is_marked_with_the_line_it_fits(loaded: Loading) -> None:
    text = manifest(kernel="refuses: [{when: M % 8 != 0, with: ValueError}]", workload="{M: 8}\n      odd: {M: 9}")

    kernel = loaded(text).kernels[0]

    assert [w.refusal for w in kernel.workloads] == [None, Refusal(when="M % 8 != 0", ending="ValueError")]


def test_what_is_made_of_a_workload_is_asked_anew(loaded: Loading) -> None:
    text = manifest(kernel="refuses: [{when: not x.contiguous, with: fallback}]")

    kernel = loaded(text).kernels[0]
    assert kernel.refused is not None

    assert kernel.refused({"M": 12}, {"x": tensor(16, 1)}) == Refusal(when="not x.contiguous", ending="fallback")
    assert kernel.refused({"M": 12}, {"x": tensor()}) is None


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "refuses: [{when: N % 8 != 0, with: ValueError}]",
            ":13: kernels.gelu.workloads.small: no value for 'N', which refuses needs; add N: …",
        ),
        (
            "refuses: [{when: y.contiguous, with: ValueError}]",
            ":9: kernels.gelu.refuses[0].when: in workload 'small', 'y' is no tensor among the arguments; known: x",
        ),
        (
            "refuses: [{when: M > 1, with: ValueError}]",
            ":9: kernels.gelu.refuses: fits every workload, so that the kernel answers none; add one that it answers",
        ),
        (
            "refuses: [{when: M % 2, with: a b}]",
            ":9: kernels.gelu.refuses[0].with: 'a b' is not an ending; write an exception's name, that of a base class "
            "too, or fallback, like 'ValueError'",
        ),
        (
            "refuses: [{when: M % 2}]",
            ":9: kernels.gelu.refuses[0]: 'with' is missing; add it: an exception's name, that of a base class too, or "
            "fallback",
        ),
    ],
)
def test_a_wrong_line_is_refused_where_it_stands(loaded: Loading, line: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(kernel=line))

    assert str(caught.value) == f"kgate.yaml{sentence}"
