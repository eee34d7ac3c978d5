"""Samples of many calls, each on inputs of its own: a real worker on a CPU that `rotating.py` times like a GPU."""

import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kgate import philox
from kgate.model import BASE, HEAD, Tree
from kgate.protocol import (
    BATCH,
    GRAPH,
    SINGLE,
    Arrange,
    Arranged,
    Export,
    Exported,
    Failed,
    Fill,
    Job,
    Prepare,
    Quit,
    Ready,
    Release,
    TensorArg,
    TimeBlock,
    Times,
    decode,
    encode,
    seed_of_call,
)
from kgate.runner.lockstep import Schedule, run_launch
from kgate.runner.place import Workplace
from kgate.runner.process import fresh

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
CALLS = 8
RISING = TensorArg(shape=(5,), dtype="float64", fill=Fill(kind="uniform", a=0.0, b=1.0), stream=7)
ACROSS = TensorArg(shape=(2, 3), dtype="float64", fill=RISING.fill, stream=7, strides=(1, 2))
FIXED = TensorArg(shape=(5,), dtype="float64", fill=RISING.fill, stream=7, fixed=True)


@pytest.fixture(scope="module")
def worker(bench, case_job):
    """Asks one worker; gives its answers, and the folder of its outputs."""
    one = {"args": {"x": RISING}}
    cases = (
        case_job("rotated:double", **one),
        case_job("rotated:double", case="across", args={"x": ACROSS}),
        case_job("rotated:double", case="fixed", args={"x": FIXED}),
        *(case_job(f"rotated:{name}", **one) for name in ("waits", "works_elsewhere", "one_output_for_all", "dies")),
        case_job("kernels:into", mutates=("y",)),
        case_job("kernels:counting", setup="kernels:make_state", reset="kernels:forget"),
        case_job("faulty:second_call_fails"),
    )
    folder = bench.new_folder()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s"))
        listener.listen(1)
        listener.settimeout(120)
        job = Job(
            mode="lockstep", arm="head", tree=str(bench.tree), device="cpu", cases=cases, socket=str(folder / "s")
        )
        control = bench.written(job)
        process = subprocess.Popen([*bench.python, str(HERE / "rotating.py"), str(control)])
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:

            def ask(request):
                connection.sendall(encode(request))
                return decode(stream.readline())

            yield ask, control / "out"
            connection.sendall(encode(Quit()))
            process.wait(60)


def arranged(ask, case: str, method: str) -> Arranged:
    assert isinstance(ask(Prepare(case=case, warmups=1)), Ready)
    return ask(Arrange(case=case, method=method, calls=CALLS))


def exported(worker, case: str, seed: int) -> np.ndarray:
    ask, out = worker
    answer = ask(Export(case=case, seed=seed, prefix=f"{case.replace(':', '-')}-{seed}-"))
    assert isinstance(answer, Exported), answer
    return np.frombuffer((out / answer.outputs[0].file).read_bytes())


def plain(worker, case: str) -> np.ndarray:
    """What the case gives for values as drawn, timed one call at a time."""
    ask, _ = worker
    arranged(ask, case, SINGLE)
    ask(TimeBlock(case=case, seeds=(0,), keep_bytes=1 << 20))
    return exported(worker, case, 0)


@pytest.mark.parametrize(("method", "calls"), [(GRAPH, range(CALLS)), (BATCH, [CALLS - 1])])
def test_every_call_that_can_be_exported_saw_the_values_of_its_own_seed(worker, method, calls):
    ask, _ = worker
    drawn = plain(worker, "rotated:double")
    assert arranged(ask, "rotated:double", method) == Arranged(case="rotated:double")

    times = ask(TimeBlock(case="rotated:double", seeds=(4, 9), batch=CALLS, keep_bytes=1 << 20))

    assert isinstance(times, Times)
    assert (times.method, len(times.samples_ns), len(times.call_ns)) == (method, 2, 2)
    assert CALLS * sum(times.samples_ns) + sum(times.call_ns) <= 2 * times.wall_ns
    found = [exported(worker, "rotated:double", seed_of_call(9, call)) for call in calls]
    for call, values in zip(calls, found, strict=True):
        np.testing.assert_array_equal(values, philox.refresh(drawn, seed_of_call(9, call)))
    assert len(found) == 1 or len({tuple(values) for values in found}) > 1


def test_of_a_graph_only_the_last_sample_is_kept(worker):
    ask, _ = worker
    arranged(ask, "rotated:double", GRAPH)

    ask(TimeBlock(case="rotated:double", seeds=(4, 9), batch=CALLS, keep_bytes=1 << 20))

    assert isinstance(ask(Export(case="rotated:double", seed=4, prefix="gone")), Failed)


@pytest.mark.parametrize("method", [GRAPH, BATCH])
def test_inputs_with_strides_are_moved_along_like_others_and_fixed_ones_are_not(worker, method):
    ask, _ = worker
    across, fixed = plain(worker, "across"), plain(worker, "fixed")
    seed = seed_of_call(6, CALLS - 1)

    for case in ("across", "fixed"):
        arranged(ask, case, method)
        ask(TimeBlock(case=case, seeds=(6,), batch=CALLS, keep_bytes=1 << 20))

    np.testing.assert_array_equal(exported(worker, "across", seed), philox.refresh(across, seed))
    np.testing.assert_array_equal(exported(worker, "fixed", seed), fixed)


@pytest.mark.parametrize("method", [GRAPH, BATCH])
def test_what_a_kernel_mutates_is_restored_before_each_sample(worker, method):
    ask, out = worker
    assert arranged(ask, "kernels:into", method) == Arranged(case="kernels:into")

    ask(TimeBlock(case="kernels:into", seeds=(1, 2, 3), batch=CALLS, keep_bytes=1 << 20))

    answer = ask(Export(case="kernels:into", seed=seed_of_call(3, CALLS - 1), prefix="into"))
    assert list(np.frombuffer((out / answer.outputs[0].file).read_bytes(), np.float32)) == [5.0] * 4


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ("rotated:waits", "RuntimeError: operation not permitted when stream is capturing"),
        ("rotated:works_elsewhere", "a replay of its captured calls gives other outputs than the calls do"),
        ("rotated:one_output_for_all", "its calls share the memory of an output"),
        ("rotated:dies", "SystemExit: 3"),
    ],
)
def test_a_case_that_cannot_be_captured_says_why_and_is_timed_in_a_row(worker, case, why):
    ask, _ = worker

    refused = arranged(ask, case, GRAPH)
    in_a_row = ask(Arrange(case=case, method=BATCH, calls=CALLS))
    times = ask(TimeBlock(case=case, seeds=(1, 2), batch=CALLS, keep_bytes=1 << 20))

    assert refused.problem == why
    assert in_a_row.problem == ""
    assert times.method == BATCH
    assert len(exported(worker, case, seed_of_call(2, CALLS - 1))) == 5


@pytest.mark.parametrize("method", [GRAPH, BATCH])
def test_state_that_is_made_once_is_not_shared_by_calls_in_a_row(worker, method):
    ask, _ = worker

    assert arranged(ask, "kernels:counting", method).problem.startswith("its state is made once")
    assert ask(TimeBlock(case="kernels:counting", seeds=(1,))).method == SINGLE


def test_a_method_that_the_device_does_not_have_is_refused_by_name(worker):
    ask, _ = worker

    assert "cpu has no timer 'sundial'" in arranged(ask, "rotated:double", "sundial").problem


def test_a_released_case_gives_up_its_sets(worker):
    ask, _ = worker
    arranged(ask, "rotated:double", GRAPH)

    ask(Release(case="rotated:double"))
    arranged(ask, "rotated:double", SINGLE)

    assert ask(TimeBlock(case="rotated:double", seeds=(1,))).method == SINGLE


@pytest.mark.parametrize(("name", "method"), [("double", GRAPH), ("waits", BATCH)])
def test_a_launch_of_two_arms_exports_the_answer_for_the_seed_that_it_files(bench, case_job, tmp_path, name, method):
    def start(place, arm, control):
        return fresh(place, arm, control, argv=lambda *_: (*bench.python, str(HERE / "rotating.py"), str(control)))

    workplace = Workplace(
        python=dict.fromkeys(Tree, bench.python[0]),
        trees=dict.fromkeys(Tree, bench.tree),
        folder=tmp_path / "run",
        device="cpu",
    )
    jobs = {arm: [case_job(f"rotated:{name}", args={"x": RISING})] for arm in (HEAD, BASE)}

    launch = run_launch(workplace, jobs, 0, Schedule(method=SINGLE, blocks=2), lambda event: None, start=start)

    assert launch.failures == {}
    timing = launch.timings[f"rotated:{name}"]
    assert timing.method == method
    assert len(timing.samples_ns["head"]) == len(timing.samples_ns["base"]) == 10
    drawn = 2 * philox.draw(RISING, {})
    for seed, (tensor,) in (launch.exported[arm.name, f"rotated:{name}"] for arm in (HEAD, BASE)):
        np.testing.assert_array_equal(np.frombuffer(tensor.path.read_bytes()), philox.refresh(drawn, seed))
