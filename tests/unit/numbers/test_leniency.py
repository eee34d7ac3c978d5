"""A tolerance by hand is tried on answers that are wrong, and its kernel held to what its dtype allows."""

from pathlib import Path

import numpy as np
import pytest

from kgate.comparisons import Question, answer
from kgate.leniency import accepted, rounded
from kgate.model import Bound, Comparison, Tensor
from kgate.tolerance import cap
from tests.unit.numbers.tensorfiles import exported

SIGNED = np.random.default_rng(7).standard_normal((64, 128))
NARROW = 0.75 + 0.05 * np.random.default_rng(8).random((64, 128))  # as attention over values from 0.5 to 1
TF32 = ("in TF32",)


def kept(folder: Path, name: str, values: np.ndarray, dtype: str) -> Tensor:
    path = folder / name
    np.ascontiguousarray(values).tofile(path)
    return Tensor(path=path, dtype=dtype, shape=values.shape, strides=(values.shape[1], 1), device="cpu")


def tried(folder: Path, expected: np.ndarray, bound: Bound) -> tuple[str, ...]:
    output = kept(folder, "out", expected.astype(np.float32), "float32")
    return accepted(output, kept(folder, "reference", expected, "float64"), bound)


def test_a_tolerance_as_wide_as_the_range_of_the_answer_accepts_a_constant_and_other_places(tmp_path: Path) -> None:
    found = tried(tmp_path, NARROW, Bound(source="manifest", rtol=0.2, atol=0.5))

    assert found == ("of one constant", "with its numbers in other places", "in TF32")


@pytest.mark.parametrize(("rtol", "words"), [(1e-2, TF32), (1e-5, ())])
def test_fewer_bits_pass_a_relative_tolerance_wider_than_their_step(
    tmp_path: Path, rtol: float, words: tuple[str, ...]
) -> None:
    assert tried(tmp_path, SIGNED, Bound(source="manifest", rtol=rtol)) == words


def test_a_cosine_accepts_what_is_off_by_rounding_and_no_other_numbers(tmp_path: Path) -> None:
    assert tried(tmp_path, SIGNED, Bound(source="manifest", cosine=0.99)) == TF32


def test_an_answer_that_is_one_constant_may_be_one(tmp_path: Path) -> None:
    assert tried(tmp_path, np.full((8, 8), 0.5), Bound(source="manifest", rtol=1e-5)) == ()


def test_rounding_keeps_this_many_bits_behind_the_leading_one() -> None:
    assert rounded(np.array([1 + 2.0**-10, 1 + 2.0**-12, -3.0, 0.0]), 10).tolist() == [1 + 2.0**-10, 1.0, -3.0, 0.0]


@pytest.mark.parametrize(("error", "beyond"), [(0.0, False), (1e-3, True)])
def test_an_answer_under_a_loose_tolerance_is_held_to_its_dtype_as_well(
    tmp_path: Path, error: float, beyond: bool
) -> None:
    output = kept(tmp_path, "out", (SIGNED * (1 + error)).astype(np.float32), "float32")
    reference = kept(tmp_path, "reference", SIGNED, "float64")

    (found,) = asked(output, reference, Bound(source="manifest", rtol=1e-2))

    assert found.holds
    assert bool(found.beyond) is beyond


def asked(output: Tensor, reference: Tensor, bound: Bound) -> tuple[Comparison, ...]:
    strict = (cap("float32", 128),)
    return answer(Question(outputs=(output,), reference=(reference,), like=None, bounds=(bound,), strict=strict))


@pytest.mark.parametrize(("dtype", "rtol", "word"), [("bfloat16", 0.1, "in fp8"), ("float16", 0.01, "in bfloat16")])
def test_fewer_bits_than_sixteen_have_are_tried_as_well(tmp_path: Path, dtype: str, rtol: float, word: str) -> None:
    output, reference = exported(tmp_path, "out", SIGNED, dtype), exported(tmp_path, "reference", SIGNED)

    found = {limit: accepted(output, reference, Bound(source="manifest", rtol=limit)) for limit in (rtol, rtol / 10)}

    assert found == {rtol: (word,), rtol / 10: ()}
