"""Which shared libraries of a process are the user's own."""

import sys
from pathlib import Path

import pytest

from kgate.worker.adapters import _cuda_libraries as libraries


def mapped(*paths: Path) -> str:
    """As in proc(5)."""
    rows = [f"7f00-7f01 r-xp 00000000 08:01 {n} {path}" for n, path in enumerate(paths)]
    return "\n".join(["7ffc-7ffd rw-p 00000000 00:00 0 [stack]", *rows]) + "\n"


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    """A repository with its virtual environment inside."""
    tree = tmp_path / "acme"
    site = tree / ".venv" / "lib" / "site-packages"
    (site / "torch").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(tree / ".venv"))
    monkeypatch.setattr(sys, "path", [str(tree), str(site)])
    monkeypatch.setattr(libraries, "MAPS", tmp_path / "maps")
    monkeypatch.setattr(libraries, "folders", set())
    monkeypatch.delenv(libraries.EXTENSIONS_DIR, raising=False)
    return tree


def loaded(tree: Path, *paths: Path) -> list[Path]:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    libraries.MAPS.write_text(mapped(*paths))
    return libraries.loaded()


def test_a_library_in_the_tree_is_the_users_and_one_of_its_virtual_environment_is_not(tree):
    own = tree / "acme" / "kernels.so"
    others = (tree / ".venv/lib/site-packages/torch/libtorch_cuda.so", tree.parent / "usr" / "libcuda.so.1")

    assert loaded(tree, own, *others) == [own]


def test_an_extension_that_was_built_here_is_the_users_wherever_it_lies(tree):
    built = tree.parent / "cache" / "scale" / "scale.so"

    libraries.built_here(str(built.parent), {})

    assert loaded(tree, built) == [built]


def test_a_library_that_was_deleted_is_left_out(tree):
    gone = tree / "gone.so"
    found = loaded(tree, gone)
    gone.unlink()

    assert (found, libraries.loaded()) == ([gone], [])
