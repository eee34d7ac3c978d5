"""
The files of a commit's submodules, out of the objects that this clone has of them.

`git submodule update` would ask the network for every work tree anew. Nothing is registered and no `.git` is left, so
taking the folder away takes all of it away.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kgate.errors import HostError
from kgate.load.git import git

LINK = "160000"  # the mode of a submodule in a tree or an index (gitformat-index(5))


class NoSubmodule(HostError):
    """The commit of a submodule is not here."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A submodule of one commit: where its files go, what .gitmodules calls it, and its commit."""

    path: str
    name: str
    commit: str


def in_index(root: Path, env: Mapping[str, str]) -> tuple[str, ...]:
    """Paths of submodules in the index that `env` names."""
    entries = git(root, "ls-files", "--stage", "-z", env=env).split("\0")
    return tuple(entry.partition("\t")[2] for entry in entries if entry.startswith(LINK))


def fill(root: Path, commit: str, folder: Path) -> None:
    """The files of all submodules of a commit of the repository at `root` into `folder`. Raises NoSubmodule."""
    for link in links(root, commit):
        places = [root / git(root, "rev-parse", "--git-path", "modules") / link.name]
        places += [root / git(root, "rev-parse", "--git-common-dir") / "modules" / link.name]
        if (root / link.path / ".git").exists():
            places.append(root / link.path / git(root / link.path, "rev-parse", "--git-dir"))
        place(link, places, folder, link.path)


def place(link: Link, places: list[Path], folder: Path, shown: str) -> None:
    store = next((p for p in places if p.is_dir() and has(p, link.commit)), None)
    if store is None:
        raise NoSubmodule(
            f"submodule {shown} cannot be checked out: its commit {link.commit[:9]} is not in this clone; "
            "run `git submodule update --init --recursive`, and fetch there"
        )
    target = folder / link.path
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kgate-index-") as own:
        env = {"GIT_DIR": str(store), "GIT_WORK_TREE": str(target), "GIT_INDEX_FILE": f"{own}/index"}
        git(target, "read-tree", link.commit, env=env)
        git(target, "checkout-index", "--all", "--force", env=env)
    for inner in links(store, link.commit):
        place(inner, [store / "modules" / inner.name], target, f"{shown}/{inner.path}")


def links(store: Path, commit: str) -> Iterator[Link]:
    entries = git(store, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0")
    found: dict[str, str] = {}
    for entry in entries:
        if entry.startswith(LINK):
            head, _, path = entry.partition("\t")
            found[path] = head.split()[-1]
    names = named(store, commit) if found else {}
    for path, linked in found.items():
        name = names.get(path, path)
        if ".." in (*PurePosixPath(path).parts, *PurePosixPath(name).parts) or name.startswith("/"):
            raise NoSubmodule(f"submodule {path} cannot be checked out: its name {name!r} leads out of its place")
        yield Link(path=path, name=name, commit=linked)


def named(store: Path, commit: str) -> dict[str, str]:
    """Path -> name, as the commit's own .gitmodules says."""
    blob = f"--blob={commit}:.gitmodules"
    lines = git(store, "config", blob, "-z", "--get-regexp", r"^submodule\..*\.path$", allowed=(0, 1, 128)).split("\0")
    pairs = (line.split("\n", 1) for line in lines if "\n" in line)
    return {path: key.removeprefix("submodule.").removesuffix(".path") for key, path in pairs}


def has(store: Path, commit: str) -> bool:
    return bool(git(store, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", allowed=(0, 1, 128)))
