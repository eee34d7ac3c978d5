"""Further calls of a function: what they are held to, and what is kgate's own doing."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from kgate.protocol import MOMENTS, End, Failed, Fill, Job, TensorArg

pytestmark = pytest.mark.real
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
VARIED = TensorArg(shape=(4,), dtype="float32", fill=Fill(kind="uniform", a=1.0, b=2.0), stream=1)
WITH_SHARE = """
import pathlib
import sys
from kgate.worker import job, moments
moments.OWN_SHARE = float(sys.argv[1])
job.run(pathlib.Path(sys.argv[2]))
"""
DISTANCES = """
import json
import torch
from kgate.worker import likeness
nan, inf = float("nan"), float("inf")
pairs = {
    "none": ([1.0, nan, inf, -inf, 5.0], [1.0, nan, inf, -inf, 5.0]),
    "by a tenth of its norm": ([3.0, 0.0, 0.0, 4.0, 0.0], [3.0, 0.3, 0.0, 4.4, 0.0]),
    "finite in one": ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, inf, 5.0]),
}
likeness.PIECE = 2
told = {name: likeness.distance(torch.tensor(one), torch.tensor(other)) for name, (one, other) in pairs.items()}
print(json.dumps(told))
"""


@pytest.mark.parametrize(("share", "last"), [(0.05, Failed), (0.0, End)])
def test_a_call_for_which_kgates_copies_leave_no_memory_blames_nobody_and_one_beside_small_copies_itself(
    bench, case_job, share: float, last: type
) -> None:
    case = case_job("kernels:short_of_memory", moments=MOMENTS)
    folder = bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=(case,)))

    subprocess.run([*bench.python, "-c", WITH_SHARE, str(share), str(folder)], env=ENVIRONMENT, timeout=120, check=True)

    ended = bench.ended(folder, 0)
    assert type(ended.of(case.case)[-1]) is last
    assert len(ended.outputs(case.case)) == (last is End)
    assert ("not called again: kgate's copies" in ended.facts(case.case).get("note", "")) == (last is End)


def test_how_far_outputs_lie_apart_does_not_depend_on_the_pieces_that_are_looked_at(interpreter: str) -> None:
    done = subprocess.run(
        [interpreter, "-c", DISTANCES],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    found = json.loads(done.stdout)

    assert found == {"none": 0.0, "by a tenth of its norm": pytest.approx(0.1, rel=1e-6), "finite in one": float("inf")}


def test_the_last_row_of_a_batch_is_asked_for_alone_and_a_refusal_tells_nothing(bench, case_job) -> None:
    entries = ("kernels:leans_on_its_batch", "kernels:needs_its_batch", "kernels:add")
    cases = tuple(case_job(entry, moments=MOMENTS[:1], args={"x": VARIED, "y": VARIED}) for entry in entries)
    folder = bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=cases))

    ended = bench.run(folder)

    told = [{key: ended.facts(e).get(key) for key in ("rows", "rows-apart")} for e in entries]
    assert told == [
        {"rows": 4, "rows-apart": ["output 0"]},
        {"rows": None, "rows-apart": None},
        {"rows": 4, "rows-apart": None},
    ]
