"""Repositories to look at: those of tests/layouts, and small ones written on the spot. No process is started."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from kgate import proposal
from kgate.proposal import Proposal

LAYOUTS = Path(__file__).resolve().parents[2] / "layouts"


def copied(layout: str, folder: Path) -> Path:
    """A layout as the checkout of a repository."""
    root = folder / layout
    shutil.copytree(LAYOUTS / layout, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    return root


def written(folder: Path, files: Mapping[str, str]) -> Path:
    (folder / ".git").mkdir()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def names(root: Path) -> tuple[str, ...]:
    return tuple(sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()))


def proposed(root: Path, *, owner: str = "", wanted: Path | None = None) -> Proposal:
    return proposal.proposed(root, names(root), wanted, owner)
