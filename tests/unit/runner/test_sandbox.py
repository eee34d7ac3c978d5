"""Which walls are put around whom; what they hold is tried in tests/contract/sandbox."""

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.errors import UsageError
from kgate.model import BASE, HEAD, SWITCH_OFF, Tree
from kgate.options import Options
from kgate.protocol import Fork, Walls, decode, encode
from kgate.runner import sandbox, walls
from kgate.runner.place import Workplace
from kgate.runner.process import confined, descendants, numbers
from kgate.runner.sandbox import Sandbox
from kgate.worker import confinement

CONFINED = Sandbox(mode="namespaces", passing=("/home/a",), masked=("/run/docker.sock",))
WALLS = Walls(hidden=("/a", "/b=c"), writable=("/a/d e",), scratch_bytes=1, file_bytes=2, processes=3)


def placed(folder: Path, found: Sandbox = CONFINED) -> Workplace:
    run = folder / ".kgate/0123456789abcdef"
    trees = {Tree.HEAD: folder, Tree.BASE: folder / ".kgate/base/0123/kernels"}
    for path in (run, trees[Tree.BASE]):
        path.mkdir(parents=True)
    pythons = {Tree.HEAD: "/usr/bin/python3", Tree.BASE: str(folder / ".kgate/base/0123/.venv/bin/python")}
    return Workplace(python=pythons, trees=trees, folder=run, device="cpu", sandbox=found)


def test_a_launch_may_write_to_its_control_directory_and_its_caches_and_sees_no_other_state(tmp_path: Path) -> None:
    place = placed(tmp_path)
    control = place.folder / "control/head-1"

    around = walls.of_launch(place, HEAD, control)

    assert around is not None
    assert around.hidden == (f"{tmp_path}/.kgate",)
    assert around.writable == (str(control), f"{place.folder}/caches/head")
    assert around.shown == (str(tmp_path), f"{place.folder}/worker.zip")
    assert (around.passing, around.masked) == (("/home/a",), ("/run/docker.sock",))


def test_base_sees_its_own_checkout_whole_with_the_interpreter_in_it(tmp_path: Path) -> None:
    place = placed(tmp_path)

    around = walls.of_launch(place, BASE, place.folder / "control/base-1")

    assert around is not None
    assert around.shown == (f"{tmp_path}/.kgate/base", f"{place.folder}/worker.zip")


def test_a_drill_may_write_to_the_caches_that_it_shares_with_head(tmp_path: Path) -> None:
    place = placed(tmp_path)

    around = walls.of_launch(place, SWITCH_OFF, place.folder / "control/drill-1")

    assert around is not None
    assert f"{place.folder}/caches/head" in around.writable


def test_without_a_sandbox_a_command_stays_what_it_is(tmp_path: Path) -> None:
    place = placed(tmp_path, Sandbox())

    around = walls.of_launch(place, HEAD, place.folder / "control/head-1")

    assert around is None
    assert walls.of_zygote(place, HEAD) is None
    assert confined(("python", "worker.zip"), around) == ("python", "worker.zip")


def test_a_program_that_is_not_there_is_found_missing_before_the_walls_are_built() -> None:
    with pytest.raises(FileNotFoundError):
        confined(("/nowhere/python", "worker.zip"), WALLS)


def test_a_file_that_is_no_program_is_refused_as_starting_it_would_be(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    (tmp_path / "program").write_text("no program")
    (tmp_path / "program").chmod(0o755)

    with pytest.raises(PermissionError):
        confined((str(tmp_path / "text"),), WALLS)
    with pytest.raises(OSError, match="Exec format error"):
        confined((str(tmp_path / "program"),), WALLS)


def test_walls_reach_a_front_as_words_and_a_zygote_as_a_message() -> None:
    words = sandbox.front(WALLS)[4:]

    read = confinement.walls_of(words)

    assert read["hidden"] == ["/a", "/b=c"]
    assert read["writable"] == ["/a/d e"]
    assert (read["scratch_bytes"], read["file_bytes"], read["processes"]) == (["1"], ["2"], ["3"])
    assert decode(encode(Fork(control="/c", walls=WALLS))) == Fork(control="/c", walls=WALLS)


def test_a_container_is_refused_by_name_before_anything_is_tried() -> None:
    with pytest.raises(
        UsageError, match="--sandbox container: this version starts no containers; run all of kgate in one"
    ):
        sandbox.chosen("container")


def test_a_report_says_what_does_not_hold_and_why_there_is_none() -> None:
    partly, none = Sandbox(mode="namespaces", gaps=("a", "b")), Sandbox(gaps=("c",))

    assert partly.remarks == ("sandbox: a", "sandbox: b")
    assert none.remarks == ("sandbox: none, since c",)
    assert Sandbox().remarks == CONFINED.remarks == ()


def test_a_sandbox_that_was_named_is_named_in_the_command_that_repeats_a_run() -> None:
    chosen = Options(manifest=Path("kgate.yaml"), sandbox="namespaces")

    assert chosen.command == "kgate check --sandbox namespaces"
    assert replace(chosen, sandbox=Options.sandbox).command == "kgate check"


def test_no_throw_away_folder_lies_within_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home/tmp").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sandbox.tempfile, "gettempdir", lambda: str(tmp_path / "home/tmp"))

    found = sandbox.passing()

    assert all(not Path(a).is_relative_to(b) for a in found for b in found if a != b)
    assert all(Path(place).is_dir() for place in found)


def test_sockets_of_services_are_found_however_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "user/1000").mkdir(parents=True)
    (tmp_path / "plain").write_text("")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as docker, socket.socket(socket.AF_UNIX) as bus:
        docker.bind("docker.sock")
        bus.bind("user/1000/bus")

        found = set(sandbox.sockets(str(tmp_path)))

    assert found == {f"{tmp_path}/docker.sock", f"{tmp_path}/user/1000/bus"}


def test_a_process_is_its_own_first_descendant_and_has_a_number() -> None:
    assert next(descendants(os.getpid())) == os.getpid()
    assert numbers(os.getpid())[-1] == os.getpid()
    assert numbers(2**22 + 1) == []
