"""What is seen of this machine and of the worker's interpreter. The only module of this room that starts anything."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from kgate.device import interpreter
from kgate.errors import KgateError
from kgate.model import Manifest, Tree
from kgate.protocol import Identity
from kgate.runner import launch, sandbox
from kgate.runner.place import Workplace
from kgate.runner.sandbox import Sandbox
from kgate.runner.state import STATE
from kgate.worker import nvml

TOOLS = ("git", "ncu", "compute-sanitizer", "nvdisasm")
COMPILER = "gcc"  # what a worker's CC is, unless the caller's environment has one
ANSWER_S = 20.0
VERSION = re.compile(r"\bV?(\d+(?:\.\d+)+)")


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A place that a run writes to; `problem` is "" where it can."""

    path: str
    free_bytes: int
    problem: str = ""
    runs_code: bool = True  # what is compiled there can be loaded: the file system is not mounted noexec


@dataclass(frozen=True, kw_only=True)
class Seen:
    """
    `identity` is None where the worker's interpreter did not answer, and `trouble` says why. `tools`: version by name,
    "?" where one does not tell, without those that are not on PATH. `card` is the GPU that a run would take.
    """

    gate: str
    worker: str  # path of the interpreter; "" where none was found
    identity: Identity | None = None
    trouble: str = ""
    driver: str = ""
    card: nvml.Card | None = None
    neighbours: Mapping[int, str] = field(default_factory=dict)  # name by pid, of processes that compute on `card`
    compiler: str = COMPILER  # the C compiler that a worker is told to call; its version is among `tools`
    tools: Mapping[str, str] = field(default_factory=dict)
    sandbox: Sandbox = field(default_factory=Sandbox)  # the strongest that works here
    state: Folder
    scratch: Folder

    def fact(self, name: str) -> str:
        """Of the worker's identity, whichever class it is in; "" if it does not say."""
        if self.identity is None:
            return ""
        return self.identity.must_match.get(name) or self.identity.information.get(name, "")

    @property
    def capability(self) -> str:
        """Such as "9.0"; "" without a GPU."""
        return self.fact("capability") or (self.card.capability if self.card else "")


def seen(manifest: Manifest | None, python: str) -> Seen:
    root, folder = (manifest.root, manifest.folder) if manifest else (Path.cwd(), Path.cwd())
    cards = nvml.cards()  # before the worker is asked, which would be found among the GPU's processes
    path, identity, trouble = worker(manifest, python, folder)
    compiler = compiler_of(os.environ)
    uuid = identity.information.get("uuid", "") if identity else ""
    card = next((c for c in cards if uuid and c.uuid.endswith(uuid)), cards[0] if cards else None)
    return Seen(
        gate=f"Python {platform.python_version()}, {sys.executable}",
        worker=path,
        identity=identity,
        trouble=trouble,
        driver=nvml.installed_driver(),
        card=card,
        neighbours={pid: name_of(pid) for pid, _ in (card.processes or () if card else ())},
        compiler=compiler,
        tools={tool: said for tool in (*TOOLS, compiler) if (said := version_of(tool))},
        sandbox=sandbox.namespaces(),
        state=folder_seen(root / STATE),
        scratch=folder_seen(Path(tempfile.gettempdir())),
    )


def worker(manifest: Manifest | None, python: str, folder: Path) -> tuple[str, Identity | None, str]:
    """Path of the interpreter, who it says it is, and why it does not; its folder is gone afterwards."""
    path = ""
    try:
        path = interpreter(python or (manifest.python if manifest else ""), bool(python), folder, folder)
        with tempfile.TemporaryDirectory(prefix="kgate-doctor-") as scratch:
            workplace = Workplace(
                python={Tree.HEAD: path},
                trees={Tree.HEAD: folder},
                folder=Path(scratch),
                device="cuda:0" if Path("/dev/nvidiactl").exists() else "cpu",
                pass_env=manifest.env if manifest else (),
            )
            return path, launch.introduced(workplace), ""
    except KgateError as error:
        return path, None, str(error)
    except OSError as error:
        return path, None, f"{tempfile.gettempdir()}: cannot be written ({error.strerror}); free some space there"


def compiler_of(environment: Mapping[str, str]) -> str:
    """The program that CC names, without its options."""
    return next(iter(shlex.split(environment.get("CC", ""))), COMPILER)


def version_of(tool: str) -> str:
    """ "" where it is not on PATH."""
    if shutil.which(tool) is None:
        return ""
    status, said = told(tool, "--version")
    return version_in(said) if status == 0 else "?"


def version_in(said: str) -> str:
    """The most exact version that is named; "?" where there is none."""
    return max(VERSION.findall(said), key=lambda found: found.count("."), default="?")


def told(*argv: str) -> tuple[int, str]:
    """Exit code and all output; 127 where it cannot be started or does not end."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=ANSWER_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error)
    return done.returncode, done.stdout + done.stderr


def folder_seen(path: Path) -> Folder:
    """Tried on the nearest folder that is there: nothing is made, and nothing stays."""
    nearest = next((place for place in (path, *path.absolute().parents) if place.is_dir()), Path("/"))
    problem = ""
    try:
        with tempfile.TemporaryFile(dir=nearest) as probe:
            probe.write(b"\0")  # a full disk still takes an empty file
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
    with suppress(OSError):
        flags, free = os.statvfs(nearest).f_flag, shutil.disk_usage(nearest).free
        return Folder(path=str(path), free_bytes=free, problem=problem, runs_code=not flags & os.ST_NOEXEC)
    return Folder(path=str(path), free_bytes=0, problem=problem or "cannot be examined")


def name_of(pid: int) -> str:
    """ "" of a process that cannot be seen from here, in another container for instance."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    return ""
