"""Many comparisons at once give what one after the other gives, and no different pair is taken for the same."""

from pathlib import Path

import numpy as np
import pytest

from kgate import comparisons
from kgate.compare import compare
from kgate.comparisons import Question, answers, firsts_of
from kgate.model import Bound, Tensor

BOUND = Bound(source="cap", row_error=1e-3, relative_l2=1e-3)


def tensor(path: Path, values: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]", dtype: str) -> Tensor:
    path.write_bytes(values.astype(dtype).tobytes())
    return Tensor(path=path, dtype=dtype, shape=values.shape, strides=(1,), device="cpu")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    expected = rng.normal(size=(64,)).astype(np.float32)
    tensor(tmp_path / "reference", expected, "float64")
    tensor(tmp_path / "right", expected, "float32")
    tensor(tmp_path / "also right", expected, "float32")
    tensor(tmp_path / "wrong", np.where(np.arange(64) == 63, 9.0, expected).astype(np.float32), "float32")
    return tmp_path


def question(folder: Path, name: str, **changes: object) -> Question:
    reference = Tensor(path=folder / "reference", dtype="float64", shape=(64,), strides=(1,), device="cpu")
    output = Tensor(path=folder / name, dtype="float32", shape=(64,), strides=(1,), device="cpu")
    chosen = {"outputs": (output,), "reference": (reference,), "like": (output,), "bounds": (BOUND,), **changes}
    return Question(**chosen)  # type: ignore[arg-type]


def asked(folder: Path) -> list[Question]:
    other = Tensor(path=folder / "right", dtype="float32", shape=(8, 8), strides=(8, 1), device="cpu")
    return [
        question(folder, "right"),
        question(folder, "wrong"),
        question(folder, "also right"),
        question(folder, "wrong", bounds=(Bound(source="cap", row_error=100.0),)),
        question(folder, "right", like=(other,), giver="base's fallback"),
        question(folder, "also right", like=(other,), giver="fallback"),
    ]


def test_equal_bytes_under_equal_bounds_are_compared_once(folder: Path) -> None:
    firsts = firsts_of(asked(folder))

    assert firsts == [0, 1, 0, 3, 4, 4]


def test_answers_are_those_of_one_comparison_after_the_other(folder: Path) -> None:
    questions = asked(folder)

    found = list(answers(questions))

    assert found == [compare(q.outputs, q.reference, q.like, q.bounds, q.giver) for q in questions]
    assert [c[0].holds for c in found[:2]] == [True, False]


def test_a_broken_contract_names_whose_it_is_though_the_bytes_are_equal(folder: Path) -> None:
    first, second = list(answers(asked(folder)))[4:]

    assert "base's fallback gives" in first[0].mismatch
    assert "the fallback gives" in second[0].mismatch


def test_a_dtype_that_cannot_be_read_is_a_mismatch_and_no_crash(folder: Path) -> None:
    strange = Tensor(path=folder / "right", dtype="float8_e8m0fnu", shape=(64,), strides=(1,), device="cpu")
    questions = [question(folder, "right", outputs=(strange,), like=None)] * 2

    found = list(answers(questions))

    assert ["not supported" in c[0].mismatch for c in found] == [True, True]


def test_nothing_asked_is_nothing_answered() -> None:
    assert list(answers([])) == []


def test_files_of_different_length_are_not_the_same(folder: Path) -> None:
    short = tensor(folder / "short", np.ones(3, np.float32), "float32")
    empty = tensor(folder / "empty", np.ones(0, np.float32), "float32")

    assert not comparisons.equal(short, empty)
    assert comparisons.equal(empty, empty)
