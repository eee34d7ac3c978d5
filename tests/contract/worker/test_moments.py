"""Further calls of a function: what they are held to, and what is kgate's own doing."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from kgate.protocol import MOMENTS, End, Failed, Job

pytestmark = pytest.mark.real
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
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
