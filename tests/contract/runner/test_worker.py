"""Runner and worker together, on real torch, where KGATE_TEST_WORKER_PYTHON names an interpreter that has it."""

import os
import struct
import sys
from dataclasses import replace

import pytest

from kgate.errors import WorkerError
from kgate.model import BASE, HEAD, Failure, Tree
from kgate.protocol import Fill, TensorArg
from kgate.runner.launch import probe
from kgate.runner.lockstep import Schedule, run_launch
from kgate.runner.outputs import run_outputs
from kgate.runner.zygote import Zygotes

pytestmark = pytest.mark.real
WORKER = os.environ.get("KGATE_TEST_WORKER_PYTHON", "")
needs_worker = pytest.mark.skipif(not WORKER, reason="KGATE_TEST_WORKER_PYTHON names no interpreter with torch")
KERNEL = "def double(x):\n    return x + x\n\n\ndef broken(x):\n    raise RuntimeError('no such tile')\n"
ONES = {"x": TensorArg(shape=(2, 2), dtype="float32", fill=Fill(kind="constant", a=1.5), stream=1, fixed=True)}


@pytest.fixture
def real(workplace):
    for tree in workplace.trees.values():
        (tree / "kernels.py").write_text(KERNEL)
    return replace(workplace, python=dict.fromkeys(Tree, WORKER))


@needs_worker
def test_a_torch_kernel_is_answered_and_a_broken_one_says_why(real, stage, job):
    jobs = [job("good", entry="kernels:double", args=ONES), job("bad", entry="kernels:broken", args=ONES)]

    outcomes = run_outputs(real, HEAD, jobs, {}, stage.events.append)

    (tensor,) = outcomes["good"].outputs
    assert struct.unpack("<4f", tensor.path.read_bytes()) == (3.0,) * 4
    assert set(outcomes["good"].facts["loaded-files"]) == {"kernels.py"}
    assert isinstance(outcomes["bad"], Failure)
    assert (outcomes["bad"].rung, outcomes["bad"].reason) == ("run", "raised")
    assert "no such tile" in outcomes["bad"].text


@needs_worker
def test_two_arms_are_timed_in_lockstep_by_plain_and_by_forked_processes(real, stage, job):
    jobs = {arm: [job("good", entry="kernels:double", args=ONES)] for arm in (HEAD, BASE)}
    schedule = Schedule(blocks=2, samples_per_block=3)

    with Zygotes(("torch",), stage.events.append) as zygotes:
        plain = run_launch(real, jobs, 0, schedule, stage.events.append)
        forked = run_launch(real, jobs, 1, schedule, stage.events.append, start=zygotes.start)

    for result in (plain, forked):
        assert result.failures == {}
        assert {arm: len(s) for arm, s in result.timings["good"].samples_ns.items()} == {"head": 6, "base": 6}
        outputs = [tensors[0].path.read_bytes() for _, tensors in result.exported.values()]
        assert [struct.unpack("<4f", o) for o in outputs] == [(3.0,) * 4] * 2
    assert stage.named("note") == []


@needs_worker
def test_the_probe_says_which_torch_it_found(real):
    identity = probe(real)

    assert identity.adapters["torch"] == ""
    assert "torch" in identity.must_match


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/nowhere/python", "/nowhere/python: cannot be started (No such file or directory)"),
        ("/", "/: cannot be started"),
        ("/bin/true", "/bin/true: is no Python 3.10 or newer that can run the worker: it ended"),
        (sys.executable, "torch cannot be used there"),
    ],
)
def test_an_interpreter_that_cannot_be_the_workers_is_named_with_what_to_do(workplace, python, words):
    wrong = replace(workplace, python=dict.fromkeys(Tree, python))

    with pytest.raises(WorkerError) as caught:
        probe(wrong)

    assert words in str(caught.value)
    assert "--python" in str(caught.value)
    assert "\n" not in str(caught.value)
