"""
Git: what is in the work tree, which commit is the base, and the base's files in a work tree of their own.

Git is run with fixed arguments, without a shell, without the repository's hooks, and for a bounded time. Only `build`
runs what a repository says.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kgate.errors import HostError, UsageError

GIT_LIMIT_S = 600.0  # a checkout with LFS files may take minutes
BUILD_LIMIT_S = 3600.0
NO_BASE = "none"
MAIN_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
# Git sets these for hooks and aliases; they would point it at another repository than the one asked for.
REDIRECTIONS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
# Written while kernels run, so no part of what was measured, whether or not the repository ignores them.
BY_PRODUCTS = (":(exclude,glob)**/.kgate/**", ":(exclude,glob)**/__pycache__/**")
# A build is the repository's code: no token of the job that runs kgate is for it.
WITHHELD = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "GH_")


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


def head(root: Path) -> Head:
    """Raises HostError where git or a repository is missing."""
    commit = commit_of(root, "HEAD")
    tree = worktree_hash(root)
    return Head(commit=commit, dirty=tree != tree_of(root, commit), tree=tree)


def worktree_hash(root: Path) -> str:
    """As if all were committed now. The index and the object store of the repository stay as they are."""
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
        git(root, "add", "--all", "--", ".", *BY_PRODUCTS, env=env)
        return git(root, "write-tree", env=env)


def resolve_base(root: Path, ref: str) -> BaseRef:
    """
    The commit that head is held against. `ref`: a revision, "none", or "" to choose.

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
    state = head(root)
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


def commit_of(root: Path, ref: str) -> str:
    """The commit's full name, "" if there is none."""
    return git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", allowed=(0, 1, 128))


def tree_of(root: Path, commit: str) -> str:
    return git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}") if commit else ""


def checkout(root: Path, commit: str, folder: Path) -> Path:
    """The commit's files at `folder`, whatever an interrupted run has left there. Raises HostError."""
    remove(root, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(root, "worktree", "add", "--detach", "--force", "--force", str(folder), commit)
    return folder


def remove(root: Path, folder: Path) -> None:
    """Take away what `checkout` made, and its registration; nothing happens if there is neither."""
    # Files first: git refuses a folder that it finds damaged, and takes a missing one for granted.
    shutil.rmtree(folder, ignore_errors=True)
    git(root, "worktree", "remove", "--force", "--force", str(folder), allowed=(0, 128))


def build(tree: Path, command: str, log: Path, limit_s: float = BUILD_LIMIT_S) -> str:
    """Run the manifest's `build` in `tree`, its output to `log`. "" if it worked, else what went wrong."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(WITHHELD)}
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", command],
                cwd=tree,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            code = ended(process, limit_s)
    except OSError as error:
        return f"`{command}` could not be started: {error.strerror}"
    if code is None:
        return f"`{command}` did not end within {limit_s:g} s"
    return f"`{command}` ended with code {code}: {last_line(log)}" if code else ""


def ended(process: "subprocess.Popen[bytes]", limit_s: float) -> int | None:
    """The exit code; None past the limit. What the command has started ends with it."""
    try:
        return process.wait(timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def last_line(log: Path) -> str:
    lines = log.read_bytes()[-4096:].decode("utf-8", "replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "no output")


def git(root: Path, *args: str, env: Mapping[str, str] | None = None, allowed: Sequence[int] = (0,)) -> str:
    """Standard output without its last newline; "" for an allowed code other than 0. Raises HostError."""
    inherited = {k: v for k, v in os.environ.items() if k not in REDIRECTIONS}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "-c", "core.hooksPath=/dev/null", *args],
            env={**inherited, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_LIMIT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise HostError("git: no such program; install git, kgate needs it to find the base commit") from error
    except subprocess.TimeoutExpired as error:
        raise HostError(f"git {args[0]} in {root}: did not end within {GIT_LIMIT_S:g} s; run it by hand") from error
    errors = done.stderr.decode("utf-8", "replace")
    if "not a git repository (or any" in errors:
        raise HostError(f"{root}: not a git repository; run `git init` there, or check out one")
    if "dubious ownership" in errors:
        raise HostError(f"{root}: belongs to another user; run `git config --global --add safe.directory {root}`")
    if done.returncode not in allowed:
        said = errors.strip().splitlines()
        raise HostError(f"git {args[0]} in {root}: {said[-1] if said else f'code {done.returncode}'}")
    return done.stdout.decode("utf-8", "surrogateescape").strip() if done.returncode == 0 else ""
