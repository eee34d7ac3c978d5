"""
The folder of `kgate repro`: a script that runs one arm of one case, and all that it needs to run without the gate.

    repro.py, worker.zip, repro.json   the script, the worker that it uses, which arm is meant and the bounds found
    ARM/                               a control directory: job.json and the tables of the inputs
    base/                              base's tree, since the gate takes its own away
    caches/                            compile caches, an arm each
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import kgate
from kgate.errors import HostError
from kgate.model import Arm, Bound, Tree
from kgate.protocol import CaseJob, Job
from kgate.runner.bundle import packed
from kgate.runner.control import fill
from kgate.runner.environment import worker_environment
from kgate.runner.place import Workplace, slug
from kgate.runner.shelf import unwritable
from kgate.runner.state import STATE

SCRIPT, ASKED, BASE_TREE = "repro.py", "repro.json", "base-tree"
# Variables that the gate sets for a worker and that change what is computed or compiled; the user's shell has its own.
DECISIVE = ("CC", "OMP_NUM_THREADS")
PASSING = ("control", "outputs", "logs")  # folders that the runner leaves and nobody needs afterwards
PER_ELEMENT = ("row_error", "rtol", "atol")


@dataclass(frozen=True, kw_only=True)
class Kit:
    """`workplace.folder` is the kit's own; base's tree in it is a copy of the kit's."""

    workplace: Workplace
    arm: Arm
    case: str

    @property
    def folder(self) -> Path:
        return self.workplace.folder

    @property
    def script(self) -> Path:
        return self.folder / SCRIPT

    def argv(self, workplace: Workplace, arm: Arm, control: Path) -> tuple[str, ...]:
        """How the runner starts an arm: by the script, with the runner's own control directory."""
        return (workplace.python[arm.tree], str(self.script), slug(arm), str(control))

    def alone(self, arm: Arm) -> tuple[str, ...]:
        """What starts one arm in a process that a debugger can wrap."""
        return (self.workplace.python[arm.tree], str(self.script), slug(arm))

    def kept(self, arm: Arm) -> tuple[Path, ...]:
        """The files of tensors that the arm has left so far."""
        found = (self.folder / f"{slug(arm)}.{what}.pt" for what in ("inputs", "outputs"))
        return tuple(path for path in found if path.is_file())

    def note(self, bounds: Sequence[Bound]) -> None:
        """Leave for the script what the gate found to be allowed; of bounds, those that speak of single elements."""
        asked(self.folder, self.arm, self.case, bounds)

    def said(self, arm: Arm) -> str:
        """All that the arm's processes wrote to stdout and stderr."""
        logs = sorted(p for p in self.workplace.logs.glob("*.txt") if p.stem.rpartition("-")[0] == slug(arm))
        return "".join(p.read_text(encoding="utf-8", errors="replace") for p in logs)

    def tidy(self) -> None:
        for name in PASSING:
            shutil.rmtree(self.folder / name, ignore_errors=True)


def written(folder: Path, workplace: Workplace, base_root: Path | None, arm: Arm, jobs: Mapping[Arm, CaseJob]) -> Kit:
    """
    The kit in `folder`, over what an earlier one left there. `base_root` is the root of base's checkout, if there is
    one. Raises HostError where it cannot be written, or holds files and no kit.
    """
    if folder.is_dir() and any(folder.iterdir()) and not is_kit(folder):
        raise HostError(f"{folder}: holds files that are not of a kit; name a new folder with --out")
    case = jobs[arm].case
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First of all: an interrupted kit is a kit, to be written anew.
        asked(folder, arm, case, ())
        (folder / ".gitignore").write_text("*\n")
        kit = Kit(workplace=moved(workplace, folder, base_root), arm=arm, case=case)
        kit.tidy()
        packed(folder)
        shutil.copyfile(Path(kgate.__file__).parent / "worker" / "alone.py", kit.script)
        for each, job in jobs.items():
            fill_arm(kit, each, job)
    except OSError as error:
        raise unwritable(folder, error) from error
    return kit


def asked(folder: Path, arm: Arm, case: str, bounds: Sequence[Bound]) -> None:
    told = [{n: v for n in PER_ELEMENT if (v := getattr(b, n)) is not None} for b in bounds]
    text = json.dumps({"case": case, "arm": slug(arm), "bounds": told}, indent=2)
    fresh = folder / f"{ASKED}.new"
    fresh.write_text(f"{text}\n")
    fresh.replace(folder / ASKED)


def is_kit(folder: Path) -> bool:
    """Whether its files may be written over, and its folders taken away."""
    if STATE in folder.absolute().parts:
        return True  # kgate's own, whatever a kernel has done there
    try:
        found = json.loads((folder / ASKED).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.keys() == {"case", "arm", "bounds"}


def moved(workplace: Workplace, folder: Path, base_root: Path | None) -> Workplace:
    """With base's tree, and an interpreter that lies in it, in the kit's copy."""
    home = folder.absolute()
    copy = home / BASE_TREE
    shutil.rmtree(copy, ignore_errors=True)
    if base_root is None or Tree.BASE not in workplace.trees:
        return replace(workplace, folder=home)
    shutil.copytree(base_root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    tree, python = workplace.trees[Tree.BASE], Path(workplace.python[Tree.BASE])
    if python.is_relative_to(base_root):
        python = copy / python.relative_to(base_root)
    return replace(
        workplace,
        folder=home,
        trees={**workplace.trees, Tree.BASE: copy / tree.relative_to(base_root)},
        python={**workplace.python, Tree.BASE: str(python)},
    )


def fill_arm(kit: Kit, arm: Arm, case: CaseJob) -> None:
    path = kit.folder / slug(arm)
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    surroundings = worker_environment(kit.workplace, arm)
    job = Job(
        mode="outputs",
        arm=arm.name,
        tree=str(kit.workplace.trees[arm.tree].absolute()),
        device=kit.workplace.device,
        cases=(case,),
        env={name: surroundings[name] for name in DECISIVE if name in surroundings},
    )
    fill(path, kit.workplace, arm, job)
