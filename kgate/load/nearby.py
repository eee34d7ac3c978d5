"""Where a manifest lies that is not where it was looked for."""

import os
import shlex
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path

from kgate.errors import ManifestError

DEPTH = 3  # folders below
FOLDERS_LIMIT = 10_000  # looked into; a hint is not worth a walk through a data set


def missing(path: Path, root: Path, name: str) -> ManifestError:
    """The error for a manifest that is not at `path`; it tells of the nearest file called `name`, seen from here."""
    found = next((f for f in candidates(path.parent, root, name) if f != path), None)
    if found is None:
        shown = path.relative_to(root).as_posix()
        return ManifestError(f"{shown}: no such file; write one, or name another with --manifest")
    shown, there = (os.path.relpath(f) for f in (path, found))
    passed = shlex.quote(there)
    return ManifestError(f"{shown}: no such file; there is one at {there}: run there or pass --manifest {passed}")


def candidates(folder: Path, root: Path, name: str) -> Iterator[Path]:
    """Files called `name` at and above `folder` up to `root`, then below it, the nearest first."""
    above = [*takewhile(lambda f: f != root, (folder, *folder.parents)), root]
    for each in (*above, *below(folder)):
        if (each / name).is_file():
            yield each / name


def below(folder: Path) -> Iterator[Path]:
    """Folders to DEPTH, level by level; what is hidden is left out."""
    level, seen = [folder], 0
    for _ in range(DEPTH):
        level = sorted(inner for each in level for inner in folders_in(each))
        seen += len(level)
        if seen > FOLDERS_LIMIT:
            return
        yield from level


def folders_in(folder: Path) -> Iterable[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(e.path) for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")]
    except OSError:
        return []
