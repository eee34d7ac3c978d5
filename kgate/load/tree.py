"""Git: what is in the work tree, which commit is the base, and the base's files in a work tree of their own."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgate.errors import HostError, UsageError
from kgate.load import submodules
from kgate.load.build import build
from kgate.load.git import git
from kgate.load.submodules import NoSubmodule

__all__ = ["BaseRef", "Head", "NoSubmodule", "build", "checkout", "files", "head", "remove", "resolve_base"]

NO_BASE = "none"
ENVIRONMENT_DEPTH = 3  # folders below the root in which a virtual environment is looked for
MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
# Written while kernels run, so no part of what was measured, whether or not the repository ignores them.
BY_PRODUCTS = (":(exclude,glob)**/.kgate/**", ":(exclude,glob)**/__pycache__/**")


@dataclass(frozen=True, kw_only=True)
class Head:
    """`commit` is "" before the first one. `tree` names the work tree's content as it is, but for ignored files."""

    commit: str
    dirty: bool
    tree: str


@dataclass(frozen=True, kw_only=True)
class BaseRef:
    """The base commit and its tree, both "" for none. `reason` says why this one, or why none."""

    commit: str
    tree: str
    reason: str


def head(root: Path, baselines: Path | None = None, debt: Path | None = None) -> Head:
    """
    `baselines`: a folder whose JSON files are taken as HEAD has them: what a run has just recorded there is no change
    to the code, and the next kernels are measured beside it. `debt`: a file that is taken likewise, since it changes
    what is said of a run and nothing that is measured. Raises HostError where git or a repository is missing.
    """
    commit = commit_of(root, "HEAD")
    kept = [stored_below(root, baselines) if baselines else "", below(root, debt) if debt else ""]
    tree = worktree_hash(root, [glob for glob in kept if glob] if commit else ())
    return Head(commit=commit, dirty=tree != tree_of(root, commit), tree=tree)


def stored_below(root: Path, baselines: Path) -> str:
    """A pathspec of the baselines' files; "" for a folder outside the repository."""
    folder = below(root, baselines)
    return folder and f"{folder}/*.json"


def below(root: Path, path: Path) -> str:
    """A pathspec of `path` as it is; "" outside the repository."""
    inner = Path(os.path.relpath(path, root))
    return "" if ".." in inner.parts else re.sub(r"([*?\[\]\\])", r"\\\1", inner.as_posix())


def worktree_hash(root: Path, kept: Sequence[str] = ()) -> str:
    """
    As if all were committed now, but for what `kept`, globs, name: that is as in HEAD. The index and the object store
    of the repository stay as they are.

    Where a submodule is not as its commit has it, no tree of git's names the whole, and a hash of both takes its place.
    """
    index = root / git(root, "rev-parse", "--git-path", "index")
    objects = root / git(root, "rev-parse", "--git-path", "objects")
    with tempfile.TemporaryDirectory(prefix="kgate-index-") as folder:
        own_index, own_objects = Path(folder) / "index", Path(folder) / "objects"
        own_objects.mkdir()
        if index.is_file():
            shutil.copyfile(index, own_index)  # its times of last change save reading every file
        env = {
            "GIT_INDEX_FILE": str(own_index),
            "GIT_OBJECT_DIRECTORY": str(own_objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
        }
        if kept:
            git(root, "reset", "--quiet", "HEAD", "--", *(f":(glob){each}" for each in kept), env=env)
        by_products = (*BY_PRODUCTS, *(f":(exclude,glob){each}" for each in kept))
        environments = (f":(exclude,literal){path}" for path in environments_below(root))
        # What git cannot add (an unreadable file, a nested repository without a commit) is in no commit either.
        for which, left_out in (("--all", environments), ("--update", ())):
            paths = (".", *by_products, *left_out)
            git(root, "add", which, "--ignore-errors", "--", *paths, env=env, allowed=(0, 1))
        tree = git(root, "write-tree", env=env)
        links = submodules.in_index(root, env)
    edited = [(path, hash_) for path in links if (hash_ := edited_hash(root / path))]
    return hashlib.sha256(repr((tree, edited)).encode()).hexdigest()[: len(tree)] if edited else tree


def edited_hash(submodule: Path) -> str:
    """The work tree's hash of a submodule that is not as its commit has it; "" for one that is, or is not here."""
    if not (submodule / ".git").exists():
        return ""
    tree = worktree_hash(submodule)
    return "" if tree == tree_of(submodule, commit_of(submodule, "HEAD")) else tree


def environments_below(root: Path, depth: int = ENVIRONMENT_DEPTH) -> Iterator[str]:
    """Folders that are virtual environments, from `root`: gigabytes, and of the repository only what is tracked."""
    try:
        folders = [e for e in os.scandir(root) if e.is_dir(follow_symlinks=False) and e.name not in (".git", ".kgate")]
    except OSError:
        return
    for folder in folders:
        if Path(folder.path, "pyvenv.cfg").is_file():
            yield folder.name
        elif depth > 1:
            yield from (f"{folder.name}/{path}" for path in environments_below(Path(folder.path), depth - 1))


def resolve_base(root: Path, ref: str, state: Head | None = None) -> BaseRef:
    """
    The commit that head is held against. `ref`: a revision, "none", or "" to choose. `state`: of `head`, if known.

    Chosen is where HEAD left the main branch (the first of MAIN_BRANCHES that exists); on the main branch itself, the
    commit before a clean HEAD, or HEAD under uncommitted changes. Raises UsageError for a revision that is not here,
    and where a shallow clone hides the base.
    """
    if ref == NO_BASE:
        return none("none was asked for")
    if ref:
        commit = "" if ref.startswith("-") else commit_of(root, ref)
        if not commit:
            raise UsageError(f"--base {ref}: {absent(root, ref)}")
        return BaseRef(commit=commit, tree=tree_of(root, commit), reason=f"{ref}, as asked for")
    state = state or head(root)
    if not state.commit:
        return none("the repository has no commit yet")
    fork = fork_point(root, state.commit)
    if fork is not None:
        return fork
    if state.dirty:
        return BaseRef(commit=state.commit, tree=tree_of(root, state.commit), reason="HEAD, under uncommitted changes")
    before = commit_of(root, "HEAD~1")
    if before:
        return BaseRef(commit=before, tree=tree_of(root, before), reason="the commit before HEAD")
    if shallow(root):
        raise UsageError(f"no base commit: {absent(root, 'HEAD~1')}")
    return none("the first commit has no base")


def fork_point(root: Path, head_commit: str) -> BaseRef | None:
    """Where HEAD left the main branch; None if it did not, or if there is no main branch."""
    branch = next((b for b in MAIN_BRANCHES if commit_of(root, b)), "")
    if not branch or commit_of(root, branch) == head_commit:
        return None
    fork = git(root, "merge-base", "HEAD", branch, allowed=(0, 1))
    if not fork and shallow(root):
        raise UsageError(f"no base commit: HEAD and {branch} share none here; {absent(root, branch)}")
    if not fork or fork == head_commit:
        return None
    return BaseRef(commit=fork, tree=tree_of(root, fork), reason=f"where HEAD left {branch}")


def none(reason: str) -> BaseRef:
    return BaseRef(commit="", tree="", reason=reason)


def absent(root: Path, ref: str) -> str:
    if shallow(root):
        return (
            f"{ref} is not in this shallow clone; set `fetch-depth: 0` for actions/checkout, "
            "or run `git fetch --unshallow`"
        )
    return f"no commit {ref} in this repository; fetch it, or pass --base none"


def shallow(root: Path) -> bool:
    return git(root, "rev-parse", "--is-shallow-repository") == "true"


def files(root: Path) -> tuple[str, ...]:
    """All of the work tree that git tracks or would add, but for virtual environments: from the root, by name."""
    left_out = (*BY_PRODUCTS, *(f":(exclude,literal){path}" for path in environments_below(root)))
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", *left_out)
    return tuple(sorted({name for name in listed.split("\0") if name}))


def refuse_tracked(root: Path, folder: str) -> None:
    """Raises HostError where git tracks any of a folder that kgate alone writes: a change would have brought it."""
    held = git(root, "ls-files", "-z", "--", f":(literal){folder}").split("\0")[0]
    if held:
        raise HostError(
            f"{held}: git tracks it, and what a change brings there is not believed; `git rm -r --cached {folder}`"
        )


def commit_of(root: Path, ref: str) -> str:
    """The commit's full name, "" if there is none."""
    return git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", allowed=(0, 1, 128))


def tree_of(root: Path, commit: str) -> str:
    return git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}") if commit else ""


def changes(root: Path, commit: str) -> dict[str, bool]:
    """Paths that differ between a commit and the work tree, but for ignored ones, and whether each is in both."""
    # A `.gitmodules` may ask git to say nothing of a submodule that is another one now.
    options = ("--name-status", "--no-renames", "--ignore-submodules=none", "-z")
    said = git(root, "diff", *options, commit, "--").split("\0")
    found = {path: status == "M" for status, path in zip(said[::2], said[1::2], strict=False)}
    new = git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return {**found, **{path: False for path in new if path and not path.startswith(".kgate/")}}


def checkout(root: Path, commit: str, folder: Path) -> Path:
    """
    The commit's files at `folder`, whatever an interrupted run has left there, those of its submodules as well.

    Nothing is fetched. Raises NoSubmodule, a HostError, where the commit of a submodule is not in this clone, and
    leaves nothing then.
    """
    remove(root, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(root, "worktree", "add", "--detach", "--force", "--force", str(folder), commit)
    try:
        submodules.fill(root, commit, folder)
    except NoSubmodule:
        remove(root, folder)
        raise
    return folder


def remove(root: Path, folder: Path) -> None:
    """Take away what `checkout` made, and its registration; nothing happens if there is neither."""
    # Files first: git refuses a folder that it finds damaged, and takes a missing one for granted.
    shutil.rmtree(folder, ignore_errors=True)
    git(root, "worktree", "remove", "--force", "--force", str(folder), allowed=(0, 128))
