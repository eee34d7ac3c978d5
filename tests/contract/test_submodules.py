"""Repositories with submodules: head's hash knows their content, and base's checkout has their files."""

import shutil
from pathlib import Path

import pytest

from kgate.load import tree
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real


def repository(folder: Path, name: str, text: str) -> Path:
    folder.mkdir()
    git(folder, "init", "--quiet")
    commit(folder, name, text)
    return folder


@pytest.fixture(name="root")
def _root(root: Path, tmp_path: Path) -> Path:
    """A repository with a submodule in libs/lib, called otherwise, which has one of its own in deep."""
    deep = repository(tmp_path / "deep", "d.h", "deep\n")
    lib = repository(tmp_path / "lib", "l.h", "old\n")
    git(lib, "submodule", "--quiet", "add", str(deep), "deep")
    git(lib, "commit", "--quiet", "--message", "deep")
    git(root, "submodule", "--quiet", "add", "--name", "the library", str(lib), "libs/lib")
    git(root, "submodule", "--quiet", "update", "--init", "--recursive")
    git(root, "commit", "--quiet", "--message", "lib")
    for gone in (deep, lib):
        shutil.rmtree(gone)  # whoever would fetch must fail
    return root


def moved_on(root: Path) -> str:
    """The commit before the submodule moved on."""
    before = git(root, "rev-parse", "HEAD")
    commit(root / "libs" / "lib", "l.h", "new\n")
    git(root, "commit", "--quiet", "--all", "--message", "moved on")
    return before


def test_a_checkout_has_the_files_of_submodules_as_that_commit_had_them(root: Path) -> None:
    before = moved_on(root)

    folder = tree.checkout(root, before, root / ".kgate" / "base")

    assert (folder / "libs" / "lib" / "l.h").read_text() == "old\n"
    assert (folder / "libs" / "lib" / "deep" / "d.h").read_text() == "deep\n"
    assert (root / "libs" / "lib" / "l.h").read_text() == "new\n"
    assert git(root, "status", "--porcelain", "--", "libs") == ""


def test_a_checkout_out_of_a_work_tree_of_its_own_has_them_as_well(root: Path, tmp_path: Path) -> None:
    first = git(root, "rev-parse", "HEAD")
    git(root, "worktree", "add", "--detach", str(tmp_path / "other"))

    folder = tree.checkout(tmp_path / "other", first, tmp_path / "base")

    assert (folder / "libs" / "lib" / "l.h").read_text() == "old\n"


def test_a_checkout_is_taken_away_with_its_submodules(root: Path) -> None:
    folder = tree.checkout(root, git(root, "rev-parse", "HEAD"), root / ".kgate" / "base")

    tree.remove(root, folder)

    assert not folder.exists()
    assert git(root, "worktree", "list", "--porcelain").count("worktree ") == 1


def test_a_submodule_whose_commit_is_not_here_is_a_sentence_and_leaves_no_checkout(root: Path) -> None:
    first = git(root, "rev-parse", "HEAD")
    linked = git(root, "rev-parse", "HEAD:libs/lib")
    git(root, "submodule", "--quiet", "deinit", "--force", "--all")
    shutil.rmtree(root / ".git" / "modules")

    with pytest.raises(tree.NoSubmodule) as caught:
        tree.checkout(root, first, root / ".kgate" / "base")

    assert str(caught.value) == (
        f"submodule libs/lib cannot be checked out: its commit {linked[:9]} is not in this clone; "
        "run `git submodule update --init --recursive`, and fetch there"
    )
    assert not (root / ".kgate" / "base").exists()


@pytest.mark.parametrize("file", ["libs/lib/l.h", "libs/lib/deep/d.h", "libs/lib/untracked.h"])
def test_an_edit_in_a_submodule_makes_head_dirty_and_its_tree_another(root: Path, file: str) -> None:
    clean = tree.head(root)
    (root / file).write_text("once\n")
    once = tree.head(root)
    (root / file).write_text("twice\n")
    twice = tree.head(root)

    assert [state.dirty for state in (clean, once, twice)] == [False, True, True]
    assert len({state.tree for state in (clean, once, twice)}) == 3


def test_a_submodule_that_is_not_checked_out_is_not_dirty(root: Path) -> None:
    clean = tree.head(root)
    git(root, "submodule", "--quiet", "deinit", "--force", "--all")

    assert tree.head(root) == clean
