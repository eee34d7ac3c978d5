"""Large comparisons run in processes of their own, which answer alike and do not outlive whoever asked."""

import os
import signal
import subprocess
import sys
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


PROGRAM = """\
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
Path("begun").open("a").write("x")
from kgate import comparisons
from kgate.comparisons import Question, answers
from kgate.model import Bound, Tensor
comparisons.LARGE_BYTES = 1
comparisons.os.cpu_count = lambda: 2
def tensor(name, dtype):
    return Tensor(path=Path(name), dtype=dtype, shape=(4,), strides=(1,), device="cpu")
bound = Bound(source="cap", row_error=1e-5)
reference = (tensor("reference", "float64"),)
asked = [Question(outputs=(tensor(n, "float32"),), reference=reference, like=None, bounds=(bound,)) for n in "ab"]
print([c[0].holds for c in answers(asked)])
"""


def test_a_program_without_a_guard_is_not_run_again_by_the_processes(tmp_path: Path) -> None:
    made(tmp_path / "reference", np.ones(4), "float64")
    made(tmp_path / "a", np.ones(4), "float32")
    made(tmp_path / "b", np.zeros(4), "float32")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(root=str(Path(__file__).parents[2])))

    ended = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ended.stdout == "[True, False]\n", ended.stderr
    assert (tmp_path / "begun").read_text() == "x"


def test_a_process_that_is_killed_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "LARGE_BYTES", 1)
    monkeypatch.setattr(comparisons.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(comparisons, "follow", killed)
    reference = made(tmp_path / "reference", np.ones(4), "float64")
    outputs = [made(tmp_path / str(i), np.full(4, 1.0 + i), "float32") for i in range(2)]
    bound = Bound(source="cap", row_error=1e-5)
    questions = [Question(outputs=(o,), reference=(reference,), like=None, bounds=(bound,)) for o in outputs]

    found = list(answers(questions))

    assert [c[0].holds for c in found] == [True, False]


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
