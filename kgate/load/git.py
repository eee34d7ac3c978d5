"""Git, run with fixed arguments, without a shell, without the repository's hooks, and for a bounded time."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from kgate.errors import HostError

GIT_LIMIT_S = 600.0  # a checkout with LFS files may take minutes
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
