"""Mode "lockstep": a conversation over a real socket, the test in the gate's place."""

import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
import pytest

from kgate import philox
from kgate.protocol import (
    Export,
    Exported,
    Failed,
    Fill,
    Hello,
    Job,
    Prepare,
    Quit,
    Ready,
    Release,
    TensorArg,
    TimeBlock,
    Times,
    WarmUp,
    decode,
    encode,
)

pytestmark = pytest.mark.real


class Gate:
    def __init__(self, connection: socket.socket, stream: BinaryIO) -> None:
        self.connection = connection
        self.stream = stream

    def ask(self, request):
        self.connection.sendall(encode(request))
        return decode(self.stream.readline())


@contextmanager
def conversation(bench, cases) -> Iterator[tuple[Gate, object, subprocess.Popen[bytes]]]:
    """A worker that has connected; it is told to quit in the end."""
    with socket.socket(socket.AF_UNIX) as listener:
        folder = bench.new_folder()
        listener.bind(str(folder / "s"))
        listener.listen(1)
        listener.settimeout(120)
        job = Job(
            mode="lockstep", arm="head", tree=str(bench.tree), device="cpu", cases=cases, socket=str(folder / "s")
        )
        control = bench.written(job)
        process = subprocess.Popen(bench.command("run", str(control)), start_new_session=True)
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            yield Gate(connection, stream), control, process
            connection.sendall(encode(Quit()))
            process.wait(60)


@pytest.fixture(scope="module")
def worker(bench, case_job):
    rising = TensorArg(shape=(5,), dtype="float64", fill=Fill(kind="uniform", a=0.0, b=1.0), stream=7)
    cases = (
        case_job("kernels:echo", args={"x": rising}),
        case_job("kernels:into", mutates=("y",)),
        case_job("kernels:counting", setup="kernels:make_state", reset="kernels:forget", steps=2),
        case_job("faulty:raises"),
        case_job("faulty:second_call_fails"),
        case_job("nowhere:f"),
    )
    with conversation(bench, cases) as (gate, control, process):
        yield gate, control
    assert process.returncode == 0


def test_a_worker_that_connects_has_said_hello(worker):
    _, control = worker

    assert isinstance(decode((control / "replies.jsonl").read_bytes().splitlines()[0]), Hello)


def test_a_prepared_case_gives_a_time_per_seed(worker):
    gate, _ = worker

    ready = gate.ask(Prepare(case="kernels:into", warmups=3))
    times = gate.ask(TimeBlock(case="kernels:into", seeds=(4, 5, 6), batch=2))

    assert isinstance(ready, Ready)
    assert ready.output_bytes == 16
    assert ready.estimate_ns > 0
    assert isinstance(times, Times)
    assert len(times.samples_ns) == len(times.call_ns) == 3
    assert all(ns > 0 for ns in times.samples_ns)
    assert times.wall_ns >= 2 * sum(times.samples_ns)
    assert times.method == "cpu-monotonic"


def test_a_prepared_case_warms_up_as_often_as_it_is_asked_to(worker):
    gate, _ = worker
    prepared = gate.ask(Prepare(case="kernels:into", warmups=1))

    warm = gate.ask(WarmUp(case="kernels:into", calls=4))

    assert isinstance(warm, Ready)
    assert warm.output_bytes == prepared.output_bytes
    assert warm.estimate_ns > 0


def values_of(gate, control, case, seed):
    exported = gate.ask(Export(case=case, seed=seed, prefix=f"{seed}-"))
    assert isinstance(exported, Exported), exported
    return [(control / "out" / output.file).read_bytes() for output in exported.outputs]


def test_every_sample_sees_the_values_of_its_seed(worker):
    gate, control = worker
    gate.ask(Prepare(case="kernels:echo", warmups=1))

    gate.ask(TimeBlock(case="kernels:echo", seeds=(0, 4), keep_bytes=1 << 20))

    plain, moved = (np.frombuffer(*values_of(gate, control, "kernels:echo", seed)) for seed in (0, 4))
    assert len(set(plain)) == 5
    np.testing.assert_array_equal(moved, philox.refresh(plain, 4))
    assert list(moved) != list(plain)


def test_what_a_kernel_mutates_is_restored_before_each_sample(worker):
    gate, control = worker
    gate.ask(Prepare(case="kernels:into", warmups=1))

    gate.ask(TimeBlock(case="kernels:into", seeds=(1, 2), keep_bytes=1 << 20))

    assert values_of(gate, control, "kernels:into", 2) == [struct.pack("<4f", *[5.0] * 4)]


def test_state_is_reset_before_each_sample_and_steps_follow_each_other(worker):
    gate, control = worker
    gate.ask(Prepare(case="kernels:counting", warmups=2))

    gate.ask(TimeBlock(case="kernels:counting", seeds=(1, 2, 3), keep_bytes=1 << 20))

    assert values_of(gate, control, "kernels:counting", 3) == [struct.pack("<4f", *[2 + 3 + 10 + 2] * 4)]


def test_the_newest_outputs_are_kept_as_far_as_room_allows(worker):
    gate, control = worker
    gate.ask(Prepare(case="kernels:echo", warmups=1))

    gate.ask(TimeBlock(case="kernels:echo", seeds=(1, 2, 3), keep_bytes=2 * 40))

    assert values_of(gate, control, "kernels:echo", 2)
    assert values_of(gate, control, "kernels:echo", 3)
    gone = gate.ask(Export(case="kernels:echo", seed=1, prefix="gone"))
    assert isinstance(gone, Failed)
    assert gone.text == "the outputs of the sample with seed 1 were not kept"


def test_a_case_that_cannot_be_prepared_fails_and_the_next_goes_on(worker):
    gate, _ = worker

    answers = [gate.ask(Prepare(case=case, warmups=1)) for case in ("nowhere:f", "faulty:raises", "kernels:into")]

    assert [type(a) for a in answers] == [Failed, Failed, Ready]
    assert [a.rung for a in answers[:2]] == ["import", "run"]


def test_a_call_that_fails_while_it_is_timed_fails_on_the_rung_latency(worker):
    gate, _ = worker
    gate.ask(Prepare(case="faulty:second_call_fails", warmups=1))

    answer = gate.ask(TimeBlock(case="faulty:second_call_fails", seeds=(1,)))

    assert isinstance(answer, Failed)
    assert (answer.rung, answer.text) == ("latency", "RuntimeError: only once")


def test_a_released_case_can_be_prepared_again(worker):
    gate, _ = worker
    gate.ask(Prepare(case="kernels:echo", warmups=1))

    released = gate.ask(Release(case="kernels:echo"))

    assert isinstance(released, Ready)
    assert isinstance(gate.ask(Prepare(case="kernels:echo", warmups=1)), Ready)


def test_a_worker_ends_when_the_gate_hangs_up(bench, case_job):
    with socket.socket(socket.AF_UNIX) as listener:
        folder = bench.new_folder()
        listener.bind(str(folder / "s"))
        listener.listen(1)
        listener.settimeout(120)
        job = Job(mode="lockstep", arm="head", tree=str(bench.tree), device="cpu", socket=str(folder / "s"))
        process = subprocess.Popen(bench.command("run", str(bench.written(job))), start_new_session=True)
        connection, _ = listener.accept()

    connection.close()

    assert process.wait(60) == 0
