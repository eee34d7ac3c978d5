"""What a user does in a repository, in two functions."""

import subprocess
from pathlib import Path


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *args], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


def commit(root: Path, name: str, text: str = "x\n") -> str:
    """One file, and everything else that has changed."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", name)
    return git(root, "rev-parse", "HEAD")
