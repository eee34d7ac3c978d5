"""What a commit holds, without a work tree of it: content by path, the manifest, whether it is in another's history."""

import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from kgate.errors import KgateError
from kgate.load import document, manifest
from kgate.load.git import git
from kgate.model import Manifest

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Blobs:
    """What git calls the content of each file of a commit; of a submodule's files, its commit."""

    def __init__(self, by_path: Mapping[str, str]) -> None:
        self.by_path = by_path

    @classmethod
    def of(cls, root: Path, commit: str) -> "Blobs":
        if not commit:
            return cls({})
        entries = (line for line in git(root, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0") if line)
        parts = (entry.partition("\t") for entry in entries)
        return cls({path: meta.split()[2] for meta, _, path in parts})

    def at(self, path: str) -> str:
        """ "" for what the commit does not hold."""
        if found := self.by_path.get(path):
            return found
        above = (self.by_path.get(str(folder)) for folder in PurePosixPath(path).parents)
        return next((commit for commit in above if commit), "")


def within(root: Path, commit: str, later: str) -> bool:
    """Whether a commit is `later` or in its history, as far as this clone knows it."""
    if not COMMIT.fullmatch(commit) or not later:
        return False
    return git(root, "merge-base", commit, later, allowed=(0, 1, 128)) == commit


def manifest_at(root: Path, commit: str, path: str) -> Manifest | None:
    """As the commit has it, from the git root; None where it has none that this kgate can read."""
    with tempfile.TemporaryDirectory(prefix="kgate-past-") as folder, suppress(KgateError):
        top = Path(folder).resolve()
        (top / ".git").mkdir()  # so that it is a git root, and paths are told from there
        main = written(root, commit, path, top)
        fields, _ = document.read(main, path)
        for name in fields.get("include", ()):
            included = (main.parent / str(name)).resolve()
            if included.is_relative_to(top):
                written(root, commit, included.relative_to(top).as_posix(), top)
        return manifest.load(main)
    return None


def readable(path: Path) -> Manifest | None:
    """Of a file that lies there; None for one that this kgate cannot read."""
    with suppress(KgateError):
        return manifest.load(path)
    return None


def written(root: Path, commit: str, path: str, top: Path) -> Path:
    """Raises HostError where the commit has no such file."""
    target = top / path
    text = git(root, "show", f"{commit}:{path}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text + "\n", encoding="utf-8", errors="surrogateescape")
    return target
