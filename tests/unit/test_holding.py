"""A comparison by a function of the user's: what its verdict becomes, and the wrong answers that it is tried on."""

from pathlib import Path

import numpy as np
import pytest

from kgate.holding import told
from kgate.leniency import wrong_answers
from kgate.model import Comparison, Measurement
from tests.unit.builders import failure, right
from tests.unit.numbers.tensorfiles import exported

ENTRY = "acme.checks:same_subspace"
TWO = (right()[0], right(output=1)[0])


def verdict(*holds: str, said: str = "", **figures: str) -> Measurement:
    return Measurement(outputs=(), facts={"holds": list(holds), "figures": figures, "said": said})


def spoken(outcome) -> tuple[Comparison, ...]:
    return told(TWO, ENTRY, outcome)


def test_a_yes_holds_whatever_was_found_element_by_element() -> None:
    off = (right(broken=("row error 0.5, at most 1e-05 allowed",))[0], TWO[1])

    assert all(c.holds for c in told(off, ENTRY, verdict("answer")))


def test_a_no_is_told_with_its_words_and_figures() -> None:
    first, second = spoken(verdict(said="turned", angle="0.3", allowed="0.001"))

    assert first.broken == ("acme.checks:same_subspace refuses it: turned; angle 0.3, allowed 0.001",)
    assert second.holds


def test_wrong_answers_that_are_accepted_are_kept_apart_from_the_answer() -> None:
    first, _ = spoken(verdict("answer", "of zeros", "of NaN"))

    assert (first.holds, first.accepts) == (True, ("of zeros", "of NaN"))


def test_what_it_raises_is_a_sentence() -> None:
    first, _ = spoken(failure(text="KeyError: 'scale'", rung="correctness"))

    assert first.broken == ("acme.checks:same_subspace, which compares it, raised: KeyError: 'scale'",)


def words(folder: Path, *outputs: tuple[object, str]) -> dict[str, list[np.ndarray]]:
    made = [exported(folder, f"out{i}", value, dtype) for i, (value, dtype) in enumerate(outputs)]
    expected = [
        exported(folder, f"right{i}", value, dtype if dtype.startswith("int") else "float64")
        for i, (value, dtype) in enumerate(outputs)
    ]
    return dict(wrong_answers(made, expected))


def test_zeros_a_constant_and_nan_are_wrong_where_something_else_is_expected(tmp_path: Path) -> None:
    found = words(tmp_path, ([[1.0, 2.0, 6.0]], "float32"), ([[4, 5]], "int64"))

    assert list(found) == ["of zeros", "of one constant", "of NaN"]
    assert [a.dtype for a in found["of NaN"]] == [np.float32, np.int64]
    assert np.isnan(found["of NaN"][0]).all()
    assert found["of one constant"][0].tolist() == [[3.0, 3.0, 3.0]]


@pytest.mark.parametrize(
    ("values", "dtype", "left"),
    [
        ([[0.0, 0.0]], "float32", ["of NaN"]),
        ([[0.5, 0.5]], "float16", ["of zeros", "of NaN"]),
        ([[7, 7]], "int32", ["of zeros"]),
        ([[0, 0]], "int32", []),
    ],
)
def test_what_is_nearly_right_is_not_tried(tmp_path: Path, values: object, dtype: str, left: list[str]) -> None:
    assert list(words(tmp_path, (values, dtype))) == left
