"""Large comparisons run in processes of their own, which answer alike and do not outlive whoever asked."""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kgate import comparisons
from kgate.compare import compare
from kgate.comparisons import Question, answers, pool_for
from kgate.model import Bound, Tensor

pytestmark = pytest.mark.real


def made(path: Path, values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", dtype: str) -> Tensor:
    path.write_bytes(values.astype(dtype).tobytes())
    return Tensor(path=path, dtype=dtype, shape=values.shape, strides=(1,), device="cpu")


def test_processes_answer_as_one_comparison_after_the_other_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "LARGE_BYTES", 1 << 10)
    monkeypatch.setattr(comparisons.os, "cpu_count", lambda: 2)
    expected = np.random.default_rng(3).normal(size=1000)
    reference = made(tmp_path / "reference", expected, "float64")
    outputs = [made(tmp_path / str(i), expected + i * 1e-4, "float32") for i in range(3)]
    bound = Bound(source="cap", row_error=1e-5)
    questions = [Question(outputs=(o,), reference=(reference,), like=None, bounds=(bound,)) for o in outputs]
    pool = pool_for(questions)
    pool.shutdown()

    found = list(answers(questions))

    assert isinstance(pool, ProcessPoolExecutor)
    assert found == [compare(q.outputs, q.reference, q.like, q.bounds) for q in questions]
    assert [c[0].holds for c in found] == [True, False, False]
