"""The control directory that a worker finds."""

import json
import os
import socket
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.model import HEAD
from kgate.protocol import Fill, Job, ListArg, TensorArg, address, decode_job
from kgate.runner import seat
from kgate.runner.control import create, discard
from kgate.runner.process import fresh, log_tail
from kgate.runner.seat import Seat

pytestmark = pytest.mark.real
NORMAL = TensorArg(shape=(2,), dtype="float32", fill=Fill(kind="normal", b=1.0, table="normal"), stream=1)


def job_of(workplace, *cases, mode="outputs") -> Job:
    return Job(mode=mode, arm="head", tree=str(workplace.trees[HEAD.tree]), device="cpu", cases=cases)


def test_it_holds_the_job_the_tables_it_needs_and_an_empty_folder_for_outputs(workplace, job):
    control = create(workplace, HEAD, job_of(workplace, job("a", args={"x": ListArg(items=(NORMAL,))})))

    assert decode_job((control.path / "job.json").read_bytes()).cases[0].case == "a"
    assert (control.path / "tables" / "normal").stat().st_size == 65_536 * 8
    assert list(control.out.iterdir()) == []


def test_a_job_without_drawn_values_gets_no_tables(workplace, job):
    control = create(workplace, HEAD, job_of(workplace, job("a")))

    assert not (control.path / "tables").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(workplace, job):
    workplace.folder.write_text("")

    with pytest.raises(HostError, match=r"run/control: cannot be written \(.+\); may this user write there\?"):
        create(workplace, HEAD, job_of(workplace, job("a")))


def test_a_seat_that_cannot_be_bound_leaves_nothing_behind(workplace, job, limits, monkeypatch):
    @contextmanager
    def too_long(socket):
        yield "/" * 200

    monkeypatch.setattr(seat, "address", too_long)

    with pytest.raises(OSError, match="too long"):
        Seat(workplace, HEAD, [job("a")], limits, fresh, 0)

    assert list((workplace.folder / "control").iterdir()) == []


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_a_log_that_is_no_plain_file_is_neither_waited_for_nor_shown(workplace, job, tmp_path, kind):
    (tmp_path / "secret").write_text("secret")
    control = create(workplace, HEAD, job_of(workplace, job("a")))
    match kind:
        case "pipe":
            os.mkfifo(control.log)
        case "link":
            control.log.symlink_to(tmp_path / "secret")
        case _:
            control.log.mkdir()

    shown = log_tail(control.log)
    discard(workplace, control)

    assert shown == ""
    assert list(workplace.logs.iterdir()) == []


@pytest.mark.parametrize("depth", [0, 30])
def test_a_socket_can_be_bound_however_long_the_path_of_the_run_is(workplace, job, depth):
    deep = replace(workplace, folder=workplace.folder.joinpath(*["folder"] * depth))
    control = create(deep, HEAD, job_of(deep, job("a"), mode="lockstep"))

    told = Path(json.loads((control.path / "job.json").read_text())["socket"])
    with socket.socket(socket.AF_UNIX) as listener, address(told) as name:
        listener.bind(name)
    bound = control.socket.exists()
    discard(deep, control)

    assert bound

    assert not control.socket.exists()
    assert not control.path.exists()


def test_a_run_in_a_relative_folder_is_found_from_anywhere(workplace, job, monkeypatch):
    monkeypatch.chdir(workplace.folder.parent)
    control = create(replace(workplace, folder=workplace.folder.relative_to(Path.cwd())), HEAD, job_of(workplace))

    assert control.path.is_absolute()
