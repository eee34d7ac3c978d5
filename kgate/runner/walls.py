"""Which parts of a run a process may see and write, by its arm: nothing of what other arms have made."""

from dataclasses import replace
from pathlib import Path

from kgate.model import SWITCH_ON, Arm
from kgate.protocol import Walls
from kgate.runner.bundle import packed
from kgate.runner.place import Workplace
from kgate.runner.state import STATE


def of_launch(workplace: Workplace, arm: Arm, control: Path, *shown: Path) -> Walls | None:
    """
    Of a process of its own, or of a zygote's child; None where the run has no sandbox. `shown` besides tree and worker.

    A drill that does not compile anew shares the caches of the switch's, which are head's.
    """
    if not workplace.sandbox.confines:
        return None
    owners = (arm, replace(SWITCH_ON, tree=arm.tree)) if arm.condition else (arm,)
    caches = [workplace.caches(owner) for owner in owners]
    for folder in caches:
        folder.mkdir(parents=True, exist_ok=True)
    return around(workplace, arm, (packed(workplace.folder), *shown), (control, *caches))


def of_zygote(workplace: Workplace, arm: Arm) -> Walls | None:
    """Of all launches that will be forked from it, whose own walls are narrower."""
    if not workplace.sandbox.confines:
        return None
    return around(workplace, arm, (), (workplace.folder,))


def around(workplace: Workplace, arm: Arm, shown: tuple[Path, ...], writable: tuple[Path, ...]) -> Walls:
    hidden = state_of(workplace.folder.resolve())
    tree = workplace.trees[arm.tree].resolve()
    # An interpreter is not resolved as a file, since an environment is found by the link's own place.
    python = Path(workplace.python[arm.tree]).absolute().parent.resolve()
    within = [python] if python.is_relative_to(hidden) else []
    return workplace.sandbox.walls(
        hidden=str(hidden),
        shown=[str(path) for path in (*(top(p, hidden) for p in (tree, *within)), *(p.resolve() for p in shown))],
        writable=[str(path.resolve()) for path in writable],
    )


def state_of(folder: Path) -> Path:
    """The state folder that a run's folder lies in, with other runs and trees; else the run's own."""
    return next((place for place in (folder, *folder.parents) if place.name == STATE), folder)


def top(path: Path, hidden: Path) -> Path:
    """What has to be shown of `hidden`, so that `path` is there: a whole checkout, or an environment beside it."""
    if not path.is_relative_to(hidden) or path == hidden:
        return path
    return hidden / path.relative_to(hidden).parts[0]
