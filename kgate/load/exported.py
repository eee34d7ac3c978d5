"""
The files of a commit in a folder of their own, written from git's objects alone.

In place of a checkout where the commit is somebody's whom nobody trusts: no hook runs and no filter, a link becomes a
plain file that holds its target's name, and a submodule an empty folder. The folder is a git root whose HEAD and index
are the commit's, so that all that reads a tree can read this one.
"""

import os
from pathlib import Path

from kgate.load.git import git

# What a machine's own settings define, such as the filter of Git LFS, a file of the commit could ask for by name.
UNSET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_ATTR_NOSYSTEM": "1"}


def export(root: Path, commit: str, folder: Path) -> Path:
    """`folder` is new. Raises HostError where git cannot read the commit."""
    objects = (root / git(root, "rev-parse", "--git-path", "objects")).resolve()
    folder.mkdir(parents=True)
    folder = folder.resolve()
    git(folder, "init", "--quiet", "--template=", f"--object-format={form_of(commit)}", ".", env=UNSET)
    git(folder, "config", "core.symlinks", "false", env=UNSET)
    information = folder / ".git" / "objects" / "info"
    information.mkdir(exist_ok=True)
    (information / "alternates").write_text(f"{objects}\n", encoding="utf-8", errors="surrogateescape")
    git(folder, "update-ref", "--no-deref", "HEAD", commit, env=UNSET)
    git(folder, "read-tree", commit, env=UNSET)
    git(folder, "checkout-index", "--all", "--quiet", env=UNSET)
    git(folder, "update-index", "--refresh", "-q", env=UNSET, allowed=(0, 1))
    return folder


def form_of(commit: str) -> str:
    return "sha1" if len(commit) == 40 else "sha256"


def differences(root: Path, base: str, head: str) -> dict[str, bool]:
    """Paths that differ between two commits, and whether each is in both."""
    options = ("--name-status", "--no-renames", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "-z")
    said = git(root, "diff", *options, base, head, "--").split("\0")
    return {path: status == "M" for status, path in zip(said[::2], said[1::2], strict=False)}
