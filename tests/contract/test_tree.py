"""Git in real repositories: which commit is the base, and its files in a folder of their own."""

from pathlib import Path

import pytest

from kgate.errors import ExitCode, HostError, UsageError
from kgate.load import tree
from kgate.load.manifest import root_of
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real


def test_no_base_can_be_asked_for(root: Path) -> None:
    commit(root, "a.py")

    assert tree.resolve_base(root, "none") == tree.BaseRef(commit="", tree="", reason="none was asked for")


def test_a_base_that_is_named_is_that_commit(root: Path) -> None:
    first = commit(root, "a.py")
    commit(root, "b.py")

    base = tree.resolve_base(root, "HEAD~1")

    assert (base.commit, base.tree) == (first, git(root, "rev-parse", f"{first}^{{tree}}"))


@pytest.mark.parametrize("ref", ["v9", "HEAD~7", "--output=x", "HEAD:a.py", "a b"])
def test_a_base_that_is_not_there_is_refused(root: Path, ref: str) -> None:
    commit(root, "a.py")

    with pytest.raises(UsageError) as caught:
        tree.resolve_base(root, ref)

    assert str(caught.value) == f"--base {ref}: no commit {ref} in this repository; fetch it, or pass --base none"
    assert caught.value.exit_code is ExitCode.NO_RUN


def test_on_a_branch_the_base_is_where_it_left_main(root: Path) -> None:
    commit(root, "a.py")
    fork = commit(root, "b.py")
    git(root, "switch", "--quiet", "--create", "feature")
    commit(root, "c.py")
    commit(root, "d.py")
    git(root, "switch", "--quiet", "main")
    commit(root, "e.py")
    git(root, "switch", "--quiet", "feature")

    base = tree.resolve_base(root, "")

    assert (base.commit, base.reason) == (fork, "where HEAD left main")


def test_the_remotes_main_branch_goes_before_the_local_one(root: Path, tmp_path: Path) -> None:
    commit(root, "a.py")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(root), str(clone))
    pushed = git(clone, "rev-parse", "HEAD")
    commit(clone, "b.py")
    commit(clone, "c.py")

    base = tree.resolve_base(clone, "")

    assert (base.commit, base.reason) == (pushed, "where HEAD left origin/HEAD")


def test_on_a_clean_main_branch_the_base_is_the_commit_before(root: Path) -> None:
    first = commit(root, "a.py")
    commit(root, "b.py")

    base = tree.resolve_base(root, "")

    assert (base.commit, base.reason) == (first, "the commit before HEAD")


def test_on_a_dirty_main_branch_the_base_is_head_itself(root: Path) -> None:
    commit(root, "a.py")
    second = commit(root, "b.py")
    (root / "b.py").write_text("edited\n")

    base = tree.resolve_base(root, "")

    assert (base.commit, base.reason) == (second, "HEAD, under uncommitted changes")


def test_a_state_that_is_known_is_not_looked_at_again(root: Path) -> None:
    commit(root, "a.py")
    second = commit(root, "b.py")
    dirty = tree.Head(commit=second, dirty=True, tree="")

    assert tree.resolve_base(root, "", dirty).commit == second


def test_behind_the_main_branch_the_base_is_the_commit_before(root: Path) -> None:
    first = commit(root, "a.py")
    second = commit(root, "b.py")
    commit(root, "c.py")
    git(root, "checkout", "--quiet", "--detach", second)

    assert tree.resolve_base(root, "").commit == first


def test_the_first_commit_has_no_base(root: Path) -> None:
    commit(root, "a.py")

    assert tree.resolve_base(root, "") == tree.BaseRef(commit="", tree="", reason="the first commit has no base")


@pytest.mark.parametrize("ref", ["", "HEAD~1"])
def test_a_shallow_clone_is_told_how_to_fetch_the_base(root: Path, tmp_path: Path, ref: str) -> None:
    commit(root, "a.py")
    commit(root, "b.py")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", root.as_uri(), str(clone))

    with pytest.raises(UsageError) as caught:
        tree.resolve_base(clone, ref)

    assert str(caught.value) == (
        f"{'--base HEAD~1' if ref else 'no base commit'}: HEAD~1 is not in this shallow clone; "
        "set `fetch-depth: 0` for actions/checkout, or run `git fetch --unshallow`"
    )


def test_a_checkout_has_the_commits_files_and_is_a_root_of_its_own(root: Path) -> None:
    first = commit(root, "acme/a.py", "old\n")
    commit(root, "acme/a.py", "new\n")

    folder = tree.checkout(root, first, root / ".kgate" / "trees" / first[:12])

    assert (folder / "acme" / "a.py").read_text() == "old\n"
    assert root_of(folder / "acme") == folder
    assert git(folder, "rev-parse", "HEAD") == first


@pytest.mark.parametrize("left", ["whole", "folder gone", "registration gone", "damaged", "locked"])
def test_a_checkout_takes_the_place_of_what_an_interrupted_run_left(root: Path, left: str) -> None:
    first = commit(root, "a.py", "old\n")
    folder = tree.checkout(root, first, root / ".kgate" / "base")
    match left:
        case "whole":
            (folder / "a.py").write_text("changed\n")
        case "folder gone":
            folder.rename(root / ".kgate" / "elsewhere")
        case "registration gone":
            (root / ".git" / "worktrees" / "base").rename(root / ".git" / "elsewhere")
        case "damaged":
            (folder / ".git").unlink()
        case _:
            git(root, "worktree", "lock", str(folder))

    tree.checkout(root, first, folder)

    assert (folder / "a.py").read_text() == "old\n"
    assert git(folder, "rev-parse", "HEAD") == first


def test_removing_leaves_neither_folder_nor_registration_and_may_be_done_twice(root: Path) -> None:
    first = commit(root, "a.py")
    folder = tree.checkout(root, first, root / ".kgate" / "base")

    tree.remove(root, folder)
    tree.remove(root, folder)

    assert not folder.exists()
    assert git(root, "worktree", "list", "--porcelain").count("worktree ") == 1


def test_hooks_of_the_repository_do_not_run(root: Path) -> None:
    first = commit(root, "a.py")
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {root}/ran\n")
    hook.chmod(0o755)

    tree.checkout(root, first, root / ".kgate" / "base")

    assert not (root / "ran").exists()


def test_what_differs_from_base_is_told_with_what_is_new_and_what_is_gone_and_without_what_git_ignores(
    root: Path,
) -> None:
    commit(root, ".gitignore", "*.so\n")
    commit(root, "gone.py")
    first = commit(root, "ops/edited.py")
    commit(root, "ops/added.py")
    (root / "ops/edited.py").write_text("y\n")
    (root / "gone.py").unlink()
    (root / "new file.py").write_text("")
    (root / "built.so").write_text("")

    found = tree.changes(root, first)

    assert found == {"gone.py": False, "new file.py": False, "ops/added.py": False, "ops/edited.py": True}
    assert tree.changes(root, commit(root, "all.py")) == {}


def test_another_commit_of_a_submodule_is_a_change_also_where_git_was_told_to_say_nothing_of_it(
    root: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "--quiet")
    commit(library, "a.py")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "library")
    git(root, "config", "--file", ".gitmodules", "submodule.library.ignore", "all")
    first = commit(root, "b.py")
    commit(root / "library", "more.py")

    assert tree.changes(root, first) == {"library": True}


def test_a_state_folder_that_the_change_has_committed_is_refused(root: Path) -> None:
    commit(root, "a.py")
    (root / ".kgate").mkdir()
    (root / ".kgate" / "lock").touch()

    tree.refuse_tracked(root, ".kgate")
    commit(root, ".kgate/proofs/last-abc.json")

    with pytest.raises(HostError, match=r"^\.kgate/lock: git tracks it"):
        tree.refuse_tracked(root, ".kgate")
