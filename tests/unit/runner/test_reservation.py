"""The host's lock on a GPU; locks of one process that were opened twice exclude each other as two processes' do."""

import os
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.model import Event
from kgate.runner.reservation import LOOK_S, reserved

GPUS = (("cuda:1", "GPU-b"), ("cuda:0", "GPU-a"))


def test_a_gpu_that_another_run_uses_is_waited_for_and_said(tmp_path: Path) -> None:
    (first,) = reserved([GPUS[0]], print, folder=tmp_path)
    told: list[Event] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            os.close(first)

    held = reserved(GPUS, told.append, folder=tmp_path, sleep=sleep)

    assert (len(held), slept) == (2, [LOOK_S] * 3)
    assert [event.fields["text"] for event in told] == [
        "another run of kgate uses cuda:1: waiting for it, 600 s at most"
    ]
    for descriptor in held:
        os.close(descriptor)


def test_a_run_that_does_not_end_is_waited_for_no_longer_than_is_allowed_and_the_others_are_let_go(
    tmp_path: Path,
) -> None:
    (first,) = reserved([GPUS[0]], print, folder=tmp_path)

    with pytest.raises(HostError, match="cuda:1: another run of kgate has used it for 10 s; wait for that run to end"):
        reserved(GPUS, print, folder=tmp_path, patience_s=10, sleep=lambda seconds: None)

    free = reserved([GPUS[1]], print, folder=tmp_path, patience_s=0)
    for descriptor in (first, *free):
        os.close(descriptor)


def test_a_device_without_a_uuid_as_a_cpu_is_not_locked(tmp_path: Path) -> None:
    assert reserved([("cpu", "")], print, folder=tmp_path) == ()
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_locks_place_is_not_followed_and_costs_no_run(tmp_path: Path) -> None:
    (tmp_path / "kgate-gpu-GPU-a.lock").symlink_to(tmp_path / "elsewhere")
    told: list[Event] = []

    assert reserved([GPUS[1]], told.append, folder=tmp_path) == ()
    assert told[0].fields["text"].startswith("cuda:0 is not locked against other runs: ")
    assert not (tmp_path / "elsewhere").exists()


def test_no_path_comes_of_a_uuid(tmp_path: Path) -> None:
    (held,) = reserved([("cuda:0", "../../GPU/x")], print, folder=tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["kgate-gpu-GPUx.lock"]
    os.close(held)


def test_a_pipe_in_the_locks_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kgate-gpu-GPU-a.lock")

    (held,) = reserved([GPUS[1]], print, folder=tmp_path)

    with pytest.raises(HostError, match="another run of kgate has used it for 0 s"):
        reserved([GPUS[1]], print, folder=tmp_path, patience_s=0)
    os.close(held)


def test_another_user_can_lock_the_same_file_whatever_the_first_ones_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        (held,) = reserved([GPUS[1]], print, folder=tmp_path)
    finally:
        os.umask(before)

    assert (tmp_path / "kgate-gpu-GPU-a.lock").stat().st_mode & 0o777 == 0o644
    os.close(held)
