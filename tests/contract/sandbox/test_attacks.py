"""
A hostile module in a worker within namespaces, in a process of its own and forked from a zygote: nothing that it tries
reaches beyond its cell, and what honest code does works.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.model import BASE, HEAD, Tree
from kgate.protocol import Job
from kgate.runner import sandbox
from kgate.runner.control import create
from kgate.runner.limits import Guard, Limits
from kgate.runner.place import Workplace
from kgate.runner.process import end, fresh
from kgate.runner.zygote import Zygotes

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
MIB = 1 << 20
MOST_MIB, MOST_PROCESSES = 4, 301
STOPPED = (
    *("fallback", "fallback replaced", "remount", "environment", "other replies", "descriptors", "symlink", "ptrace"),
    *("other cache", "other outputs", "sysctl", "network", "service", "abstract service"),
    *("disk: scratch", "disk: shared memory", "disk: control", "processes"),
)


@dataclass(frozen=True, kw_only=True)
class Attacked:
    place: Workplace
    said: Mapping[str, str]
    command_file: Path
    left: list[str]
    status: int | None

    @property
    def fallback(self) -> Path:
        return self.place.trees[Tree.HEAD] / "fallback.py"


@pytest.fixture(scope="module")
def walls() -> sandbox.Sandbox:
    try:
        return sandbox.chosen("namespaces")
    except HostError as error:
        pytest.skip(f"not run: {error}")


@pytest.fixture(scope="module", params=["process", "fork"])
def attacked(
    walls: sandbox.Sandbox, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(sandbox, "SCRATCH_BYTES", MOST_MIB * MIB)
        patch.setattr(sandbox, "FILE_BYTES", MOST_MIB * MIB)
        patch.setattr(sandbox, "PROCESSES", MOST_PROCESSES)
        marker = f"kgate-attack-{os.getpid()}-{request.param}"
        place = placed(folder, walls, stack, marker)
        start = fresh
        if request.param == "fork":
            start = stack.enter_context(Zygotes((), lambda event: pytest.fail(str(event.fields)))).start
        tree = str(place.trees[Tree.HEAD])
        control = create(place, HEAD, Job(mode="describe", arm="head", tree=tree, device="cpu", entries=("hostile:f",)))
        child = start(place, HEAD, control.path)
        try:
            status = ended(child)
        finally:
            end(child)
        lines = [json.loads(line) for line in control.log.read_text().splitlines() if line.startswith("{")]
        yield Attacked(
            place=place,
            said={line["attack"]: line["said"] for line in lines},
            command_file=folder / "temp/_runner_file_commands/set_output_1",
            left=running(marker),
            status=status,
        )


def placed(folder: Path, walls: sandbox.Sandbox, stack: ExitStack, marker: str) -> Workplace:
    """A repository with two trees and what another arm has left, a runner's folder, and services to talk to."""
    root, run = folder / "root", folder / "root/.kgate/0123456789abcdef"
    trees = {Tree.HEAD: root, Tree.BASE: root / ".kgate/base/tree"}
    other_cache, other_output = run / "caches/base/kernel.so", run / "outputs/base/0/0.bin"
    files = (root / "fallback.py", trees[Tree.BASE] / "fallback.py", other_cache, other_output)
    command_file, replies = folder / "temp/_runner_file_commands/set_output_1", run / "control/base-1/replies.jsonl"
    for path in (*files, command_file, replies):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("honest\n")
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    service, abstract = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
    address = folder / "s"
    service.bind(os.path.relpath(address))
    abstract.bind(f"\0{marker}")
    for each in (service, abstract):
        each.listen()
    secret = f"secret-of-{marker}"
    keeper = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, env={"TOKEN": secret}
    )
    stack.callback(keeper.communicate)
    targets = {
        "marker": marker,
        "secret": secret,
        "fallback": str(root / "fallback.py"),
        "command_file": str(command_file),
        "other_replies": str(replies),
        "other_cache": str(other_cache),
        "other_output": str(other_output),
        "service": str(address),
        "port": listener.getsockname()[1],
        "scratch": "/tmp",
        "most_chunks": 2 * MOST_MIB,
        "most_processes": MOST_PROCESSES + 20,
    }
    (root / "targets.json").write_text(json.dumps(targets))
    shutil.copy(HERE / "hostile.py", root)
    pythons = dict.fromkeys(Tree, sys.executable)
    return Workplace(python=pythons, trees=trees, folder=run, device="cpu", sandbox=walls)


def ended(child) -> int | None:
    until = time.monotonic() + 60
    while (status := child.status()) is None and time.monotonic() < until:
        time.sleep(0.02)
    return status


def running(marker: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            found.append(folder.name)
    return found


@pytest.mark.parametrize("attack", STOPPED)
def test_an_attack_is_stopped_or_named_as_what_this_host_cannot_do(attacked: Attacked, attack: str) -> None:
    named = any(attack in gap or (attack == "disk: scratch" and "/tmp" in gap) for gap in attacked.place.sandbox.gaps)

    assert named or attacked.said[attack].startswith("stopped"), attacked.said[attack]


def test_what_was_attacked_is_as_it_was(attacked: Attacked) -> None:
    trees, run = attacked.place.trees, attacked.place.folder

    texts = {
        path.read_text()
        for path in (
            attacked.fallback,
            trees[Tree.BASE] / "fallback.py",
            run / "caches/base/kernel.so",
            run / "control/base-1/replies.jsonl",
            attacked.command_file,
        )
    }

    assert texts == {"honest\n"}
    assert not (Path("/tmp") / "honest").exists()


def test_a_process_in_a_session_of_its_own_does_not_outlive_the_launch(attacked: Attacked) -> None:
    assert attacked.said["daemon"] == "None"
    assert attacked.left == []


def test_honest_code_finds_what_it_needs(attacked: Attacked) -> None:
    said = attacked.said

    assert attacked.status == 0
    assert said["temporary file"] == "1"
    assert said["its own cache"] == "made"
    assert said["a program"] == "1\n"
    assert said["its user"] == str(os.geteuid())
    assert (attacked.place.caches(HEAD) / "triton_cache_dir").is_dir()


def test_a_process_sees_the_tree_of_its_own_arm_alone_in_the_state_folder(walls: sandbox.Sandbox, tmp_path) -> None:
    with ExitStack() as stack:
        place = placed(tmp_path, walls, stack, f"kgate-look-{os.getpid()}")
        seen = {}
        for arm in (HEAD, BASE):
            shown = f"import os, sys; print(sorted(os.listdir({str(tmp_path / 'root/.kgate')!r})))"
            control = create(
                place, arm, Job(mode="outputs", arm=arm.name, tree=str(place.trees[arm.tree]), device="cpu")
            )
            child = fresh(place, arm, control.path, argv=lambda *_, shown=shown: (sys.executable, "-c", shown))
            ended(child)
            end(child)
            seen[arm.name] = control.log.read_text().strip()

    assert seen == {"head": "['0123456789abcdef']", "base": "['0123456789abcdef', 'base']"}


def test_a_folder_that_grows_beyond_what_is_allowed_is_noticed(tmp_path: Path) -> None:
    limits = replace(Limits(), disk_bytes=MIB)
    guard = Guard(FakeChild(log=tmp_path / "log.txt"), limits, (tmp_path,))

    for number in range(40):
        (tmp_path / f"{number}").write_bytes(os.urandom(MIB))
    os.sync()
    guard.next_look = 0.0
    broken = guard.broken()

    assert broken is not None
    assert "where 0.0 GiB are allowed" in broken[1]


@dataclass(frozen=True, kw_only=True)
class FakeChild:
    log: Path
    pid: int = os.getpid()

    def status(self) -> int | None:
        return None

    def reap(self) -> None: ...

    def doubted(self, why: str) -> str:
        return ""
