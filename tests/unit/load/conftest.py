"""Manifests in a folder that looks like a repository, without git having been there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kgate.load.manifest import load
from kgate.model import Manifest

Loading = Callable[..., Manifest]


@pytest.fixture
def loaded(tmp_path: Path) -> Loading:
    """`loaded(text, **{"other.yaml": text})` writes the files below a git root and loads kgate.yaml."""
    (tmp_path / ".git").mkdir()

    def loading(text: str, **others: str) -> Manifest:
        for name, content in {"kgate.yaml": text, **others}.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        return load(tmp_path / "kgate.yaml")

    return loading
