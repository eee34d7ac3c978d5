"""Zygotes and lifelines: children answer, their ends are told, and nothing outlives the gate."""

import os
import signal
import socket
import struct
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kgate.protocol import Bye, Exited, Fork, Forked, Hello, Job, Output, decode, encode

pytestmark = pytest.mark.real


@contextmanager
def zygote(bench, preload="torch"):
    """The zygote's process, a function that asks for a child, and the stream of its answers."""
    path = bench.new_folder() / "z"
    process = subprocess.Popen(bench.command("zygote", str(path), preload), start_new_session=True)
    try:
        with socket.socket(socket.AF_UNIX) as gate, gate.makefile("rb") as stream:
            within(60, lambda: connected(gate, path))
            yield process, gate, stream
    finally:
        process.wait(60)


def connected(gate: socket.socket, path: Path) -> bool:
    with suppress(FileNotFoundError, ConnectionRefusedError):
        gate.connect(str(path))
        return True
    return False


def within(seconds: float, holds) -> None:
    """Wait until it holds; fails if it never does."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.05)


def gone(pid: int) -> bool:
    """Dead, or dead and not yet waited for by whoever has inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def control_for(bench, case, tmp_path):
    job = Job(
        mode="outputs",
        arm="head",
        tree=str(bench.tree),
        device="cpu",
        cases=(case,),
        env={"PIDS": str(tmp_path / "pids")},
    )
    return bench.written(job)


def pids(tmp_path, count):
    """What a kernel has written of itself, once it has."""
    file = tmp_path / "pids"
    within(60, lambda: file.exists() and file.read_text().count("\n") == count)
    return {what: int(pid) for what, pid in (line.split() for line in file.read_text().splitlines())}


def test_a_child_does_its_job_in_a_group_of_its_own_and_its_end_is_told(bench, case_job, tmp_path):
    control = control_for(bench, case_job("kernels:add"), tmp_path)

    with zygote(bench) as (_, gate, stream):
        gate.sendall(encode(Fork(control=str(control))))
        forked, exited = decode(stream.readline()), decode(stream.readline())

    replies = [decode(line) for line in (control / "replies.jsonl").read_bytes().splitlines()]
    assert isinstance(forked, Forked)
    assert exited == Exited(control=str(control), status=0)
    assert replies[0] == Hello(pid=forked.pid, version=1)
    assert isinstance(replies[-1], Bye)
    (output,) = [r for r in replies if isinstance(r, Output)]
    assert (control / "out" / output.file).read_bytes() == struct.pack("<4f", *[5.0] * 4)


@pytest.mark.parametrize(("entry", "status"), [("lasting:crashes", -signal.SIGSEGV), ("lasting:ends", 7)])
def test_a_child_that_ends_itself_is_told_by_its_status_and_the_next_is_forked(
    bench, case_job, tmp_path, entry, status
):
    bad = control_for(bench, case_job(entry), tmp_path)
    good = control_for(bench, case_job("kernels:add"), tmp_path)

    with zygote(bench) as (_, gate, stream):
        gate.sendall(encode(Fork(control=str(bad))))
        told = [decode(stream.readline()), decode(stream.readline())]
        gate.sendall(encode(Fork(control=str(good))))
        told += [decode(stream.readline()), decode(stream.readline())]

    assert told[1] == Exited(control=str(bad), status=status)
    assert told[3] == Exited(control=str(good), status=0)


def test_a_child_whose_job_is_none_ends_and_says_why_in_its_log(bench, tmp_path):
    (tmp_path / "job.json").write_text("{}")

    with zygote(bench, "") as (_, gate, stream):
        gate.sendall(encode(Fork(control=str(tmp_path))))
        told = [decode(stream.readline()), decode(stream.readline())]

    assert told[1] == Exited(control=str(tmp_path), status=1)
    assert "ProtocolError" in (tmp_path / "log.txt").read_text()


def test_what_a_child_leaves_in_its_group_ends_with_it(bench, case_job, tmp_path):
    control = control_for(bench, case_job("lasting:leaves_a_child"), tmp_path)

    with zygote(bench) as (_, gate, stream):
        gate.sendall(encode(Fork(control=str(control))))
        stream.readline()
        exited = decode(stream.readline())
        left = pids(tmp_path, 1)["child"]

    assert exited.status == 0
    within(10, lambda: gone(left))


def test_hanging_up_ends_the_zygote_and_all_below_it(bench, case_job, tmp_path):
    control = control_for(bench, case_job("lasting:holds_the_lock"), tmp_path)

    with zygote(bench) as (process, gate, _):
        gate.sendall(encode(Fork(control=str(control))))
        living = pids(tmp_path, 2)

    assert process.returncode == 0
    within(10, lambda: all(gone(pid) for pid in living.values()))


def test_a_zygote_killed_takes_its_children_with_it(bench, case_job, tmp_path):
    control = control_for(bench, case_job("lasting:holds_the_lock"), tmp_path)

    with zygote(bench) as (process, gate, _):
        gate.sendall(encode(Fork(control=str(control))))
        living = pids(tmp_path, 2)
        process.kill()

    within(10, lambda: gone(living["self"]))
    os.kill(living["child"], signal.SIGKILL)  # in a session of the worker's, which the gate kills by its group


def test_a_package_that_is_not_there_does_not_stop_a_zygote(bench, case_job, tmp_path):
    control = control_for(bench, case_job("kernels:add"), tmp_path)

    with zygote(bench, "a_package_that_is_not_there") as (_, gate, stream):
        gate.sendall(encode(Fork(control=str(control))))
        told = [decode(stream.readline()), decode(stream.readline())]

    assert told[1].status == 0


@pytest.mark.parametrize("way", ["run", "zygote"])
def test_the_lifelines_end_ends_a_worker_that_holds_the_interpreters_lock(bench, case_job, tmp_path, way):
    control = control_for(bench, case_job("lasting:holds_the_lock"), tmp_path)
    reading, writing = os.pipe()
    words = ["run", str(control)] if way == "run" else ["zygote", str(tmp_path / "z"), "torch"]
    process = subprocess.Popen(
        bench.command(*words),
        start_new_session=True,
        pass_fds=(reading,),
        env={**os.environ, "KGATE_LIFELINE": str(reading)},
    )
    os.close(reading)
    with socket.socket(socket.AF_UNIX) as gate:
        if way == "zygote":
            within(60, lambda: connected(gate, tmp_path / "z"))
            gate.sendall(encode(Fork(control=str(control))))
        living = pids(tmp_path, 2)

        os.close(writing)

        within(10, lambda: all(gone(pid) for pid in living.values()))
        process.wait(10)
