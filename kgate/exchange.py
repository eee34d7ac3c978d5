"""
Trees exchanged for the launches that confirm: head's code is measured from the place where base's lay.

What lies at another path may be another file system, another page cache, another length of every path that a compiler
sees. Base cannot take head's place, which is the user's own checkout: it goes to one beside its own.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kgate.model import Tree
from kgate.runner.place import Workplace

MOST_BYTES = 2 << 30  # a copy takes seconds, and the confirmation waits for it
LEFT_OUT = (".git", ".kgate", "__pycache__")
ASIDE, COPY = "-aside", "-head"


def obstacle(workplace: Workplace, root: Path, base: Path, build: str) -> str:
    """Why head cannot be measured from base's place, as a clause; "" if it can. `root` is head's, `base` is base's."""
    if build:
        return "`build` may have written the path of its tree into what it made"
    inside = [p for p in workplace.python.values() if {root, base} & {*Path(p).absolute().parents}]
    if inside:
        return f"the interpreter {inside[0]} lies in a tree"
    size_bytes = sum(map(bytes_of, files(root)))
    if size_bytes > MOST_BYTES:
        return f"the work tree has {size_bytes / (1 << 30):.1f} GiB, more than is copied"
    return ""


@contextmanager
def exchanged(workplace: Workplace, root: Path, base: Path) -> Iterator[Workplace]:
    """
    Head's files as they are, ignored ones among them, at `base`; base's beside it. All is as it was on leaving; of a
    run that was killed meanwhile, the next one clears the whole folder. Raises OSError where a file cannot be copied,
    as one that is taken away meanwhile; then nothing has changed places.
    """
    aside, copy = (base.with_name(base.name + end) for end in (ASIDE, COPY))
    for left in (aside, copy):
        shutil.rmtree(left, ignore_errors=True)
    try:
        shutil.copytree(root, copy, symlinks=True, ignore=left_out)
    except OSError:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    base.rename(aside)
    copy.rename(base)
    head, old = workplace.trees[Tree.HEAD].relative_to(root), workplace.trees[Tree.BASE].relative_to(base)
    try:
        yield replace(workplace, trees={**workplace.trees, Tree.HEAD: base / head, Tree.BASE: aside / old})
    finally:
        base.rename(copy)
        aside.rename(base)
        shutil.rmtree(copy, ignore_errors=True)


def left_out(folder: str, names: Iterable[str]) -> set[str]:
    """Of a folder's: no part of what is measured, virtual environments, which are gigabytes, and pipes and sockets."""
    return {
        name
        for name in names
        if name in LEFT_OUT or Path(folder, name, "pyvenv.cfg").is_file() or not copied(Path(folder, name))
    }


def copied(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or path.is_dir()


def files(root: Path) -> Iterator[Path]:
    """What would be copied; what cannot be looked into is met by the copy itself."""
    for folder, folders, names in os.walk(root):
        out = left_out(folder, (*folders, *names))
        folders[:] = [name for name in folders if name not in out]
        yield from (Path(folder) / name for name in names if name not in out)


def bytes_of(path: Path) -> int:
    """0 for a file that has been taken away since it was listed."""
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0
