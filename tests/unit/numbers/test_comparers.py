"""Each comparer passes what is right in its own way, and refuses zeros, a constant, other numbers and shuffled ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kgate.comparers import COMPARERS
from kgate.comparisons import Question, answer
from kgate.model import Tensor
from kgate.tolerance import cap

RNG = np.random.default_rng(11)
X = RNG.standard_normal((32, 200)).astype(np.float32)
X[1:, 50:60] = 3.0  # ties, but for the first row
Arrays = tuple[np.ndarray, ...]
Asked = Callable[[str, Arrays, Arrays], list[tuple[str, ...]]]


def kept(path: Path, values: np.ndarray) -> Tensor:
    np.ascontiguousarray(values).tofile(path)
    return Tensor(path=path, dtype=str(values.dtype), shape=values.shape, strides=(1,) * values.ndim, device="cpu")


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    def ask(comparer: str, outputs: Arrays, expected: Arrays) -> list[tuple[str, ...]]:
        made = tuple(kept(tmp_path / f"out{i}", a) for i, a in enumerate(outputs))
        wide = (a.astype(np.float64) if a.dtype.kind == "f" else a for a in expected)
        right = tuple(kept(tmp_path / f"right{i}", a) for i, a in enumerate(wide))
        bounds = tuple(cap(t.dtype, 200) for t in made)
        question = Question(outputs=made, reference=right, like=None, bounds=bounds, comparer=comparer)
        return [c.broken for c in answer(question)]

    return ask


def top(places: np.ndarray) -> Arrays:
    return np.take_along_axis(X, places, 1), places


def largest(*, last_first: bool = False) -> Arrays:
    order = np.argsort(-X[:, ::-1] if last_first else -X, axis=1, kind="stable")[:, :8]
    return top(199 - order if last_first else order)


def quantised() -> Arrays:
    scale = np.abs(X).max(axis=1) / np.float32(127)
    return np.rint(X / scale[:, None]).astype(np.int8), scale


def dropout(seed: int, rate: float = 0.1, scaled: bool = True) -> Arrays:
    dropped = np.random.default_rng(seed).random(X.shape) < rate
    return (np.where(dropped, 0, X / np.float32(0.9) if scaled else X).astype(np.float32),)


def drawn(seed: int, shares: list[float]) -> Arrays:
    return (np.random.default_rng(seed).choice(len(shares), size=(1, 20000), p=shares),)


def off_by_one(count: int) -> Arrays:
    codes, scale = quantised()
    codes = codes.copy()
    codes.reshape(-1)[100 : 100 + count] -= 1
    return codes, scale


def below(values: Arrays) -> Arrays:
    """The ninth best in place of the best, with its own value."""
    order = np.argsort(-X, axis=1, kind="stable")
    places = values[1].copy()
    places[0, 0] = order[0, 40]
    return values[0], places


HONEST: dict[str, tuple[Arrays, Arrays]] = {
    "topk ties in another order": (largest(last_first=True), largest()),
    "codes a few of which round otherwise": (off_by_one(3), quantised()),
    "permutation within a row": ((X[:, ::-1].copy(),), (X,)),
    "sampler of another mask": (dropout(1), dropout(2)),
    "sampler of another draw": (drawn(1, [0.5, 0.3, 0.2]), drawn(2, [0.5, 0.3, 0.2])),
    "exact to the last bit": ((X,), (X,)),
}
WRONG: dict[str, tuple[Arrays, Arrays]] = {
    "topk place of a lesser value": (below(largest()), largest()),
    "topk one place twice": ((largest()[0], np.repeat(largest()[1][:, :1], 8, 1)), largest()),
    "topk zeros": (tuple(np.zeros_like(a) for a in largest()), largest()),
    "codes off by one in too many places": (off_by_one(50), quantised()),
    "codes zeros": ((np.zeros((32, 200), np.int8), quantised()[1]), quantised()),
    "codes shuffled": ((quantised()[0][::-1].copy(), quantised()[1]), quantised()),
    "permutation of other numbers": ((X + np.float32(0.1),), (X,)),
    "permutation of one constant": ((np.full_like(X, 3.0),), (X,)),
    "permutation rows exchanged": ((X[::-1].copy(),), (X,)),
    "sampler of twice the rate": (dropout(1, 0.2), dropout(2)),
    "sampler that does not scale": (dropout(1, scaled=False), dropout(2)),
    "sampler zeros": ((np.zeros_like(X),), dropout(2)),
    "sampler of other frequencies": (drawn(1, [0.45, 0.35, 0.2]), drawn(2, [0.5, 0.3, 0.2])),
    "sampler out of range": ((drawn(1, [0.5, 0.3, 0.2])[0] + 7,), drawn(2, [0.5, 0.3, 0.2])),
    "exact but for one bit": ((np.nextafter(X, np.float32(9)),), (X,)),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_is_right_in_its_own_way_passes(asked: Asked, name: str) -> None:
    outputs, expected = HONEST[name]

    assert not any(asked(name.split()[0], outputs, expected))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_its_numbers(asked: Asked, name: str) -> None:
    outputs, expected = WRONG[name]

    said = [clause for clauses in asked(name.split()[0], outputs, expected) for clause in clauses]

    assert said
    assert all(any(letter.isdigit() for letter in clause) for clause in said)


def test_every_comparer_has_a_right_and_a_wrong_answer_here() -> None:
    tried = [{name.split()[0] for name in each} for each in (HONEST, WRONG)]

    assert tried == [set(COMPARERS), set(COMPARERS)]


def test_every_file_of_the_room_is_in_the_table_under_its_own_name() -> None:
    import kgate.comparers

    folder = Path(kgate.comparers.__file__).parent

    assert {p.stem for p in folder.glob("*.py") if not p.name.startswith("_")} == set(COMPARERS)
