"""Git in real repositories: what head is, which commit is the base, and its files in a folder of their own."""

import os
import subprocess
from pathlib import Path

import pytest

from kgate.errors import ExitCode, HostError, UsageError
from kgate.load import tree
from kgate.load.manifest import root_of

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing of the machine's git settings, and an author."""
    settings = tmp_path_factory.mktemp("git") / "config"
    settings.write_text("[user]\nname = A\nemail = a@example.com\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *args], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


def commit(root: Path, name: str, text: str = "x\n") -> str:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", name)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet")
    return root


def test_a_clean_head_is_its_commit_and_that_commits_tree(root: Path) -> None:
    first = commit(root, "a.py")

    assert tree.head(root) == tree.Head(commit=first, dirty=False, tree=git(root, "rev-parse", "HEAD^{tree}"))


@pytest.mark.parametrize("change", ["edited", "new", "gone", "staged"])
def test_every_kind_of_change_makes_head_dirty_and_its_tree_another(root: Path, change: str) -> None:
    commit(root, "a.py")
    before = tree.head(root)

    match change:
        case "edited":
            (root / "a.py").write_text("y\n")
        case "new":
            (root / "b.py").write_text("x\n")
        case "gone":
            (root / "a.py").unlink()
        case _:
            (root / "b.py").write_text("x\n")
            git(root, "add", "b.py")

    after = tree.head(root)
    assert after.dirty
    assert after.commit == before.commit
    assert after.tree != before.tree


def test_the_tree_of_uncommitted_work_is_the_one_that_a_commit_of_it_gets(root: Path) -> None:
    commit(root, "a.py")
    (root / "b.py").write_text("new\n")
    uncommitted = tree.head(root).tree

    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "b")

    assert git(root, "rev-parse", "HEAD^{tree}") == uncommitted


def test_ignored_files_and_what_a_run_writes_are_no_part_of_head(root: Path) -> None:
    commit(root, ".gitignore", "*.so\n")
    before = tree.head(root)

    for name in ("k.so", ".kgate/trees/abc/a.py", "acme/__pycache__/a.pyc", "sub/.kgate/x"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")

    assert tree.head(root) == before


def test_an_edited_file_of_a_submodule_makes_another_head_each_time(root: Path) -> None:
    git(root, "init", "--quiet", "nested")
    commit(root / "nested", "kernel.py")
    commit(root, "a.py")
    seen = [tree.head(root)]

    for text in ("y\n", "z\n"):
        (root / "nested" / "kernel.py").write_text(text)
        seen.append(tree.head(root))

    assert [head.dirty for head in seen] == [False, True, True]
    assert len({head.tree for head in seen}) == 3


def test_what_git_cannot_add_stops_nothing(root: Path) -> None:
    commit(root, "a.py")
    git(root, "init", "--quiet", "empty")
    (root / "b.py").write_text("x\n")

    head = tree.head(root)

    git(root, "add", "b.py")
    assert head.tree == git(root, "write-tree")


@pytest.mark.parametrize("folder", ["env", "tools/linux/env", "[e]nv*"])
def test_a_virtual_environment_is_no_part_of_head(root: Path, folder: str) -> None:
    commit(root, "a.py")
    before = tree.head(root)

    for name in ("pyvenv.cfg", "lib/package/code.py"):
        (root / folder / name).parent.mkdir(parents=True, exist_ok=True)
        (root / folder / name).write_text("x\n")

    assert tree.head(root) == before


def test_asking_for_head_leaves_index_and_object_store_as_they_were(root: Path) -> None:
    commit(root, "a.py")
    (root / "b.py").write_text("new\n")
    state = [git(root, "status", "--porcelain"), git(root, "count-objects")]

    tree.head(root)

    assert [git(root, "status", "--porcelain"), git(root, "count-objects")] == state


def test_a_repository_without_a_commit_has_a_head_too(root: Path) -> None:
    (root / "a.py").write_text("x\n")

    head = tree.head(root)

    assert (head.commit, head.dirty) == ("", True)
    assert len(head.tree) == 40


def test_an_empty_repository_has_a_head_and_no_base(root: Path) -> None:
    assert tree.head(root).commit == ""
    assert tree.resolve_base(root, "") == tree.BaseRef(commit="", tree="", reason="the repository has no commit yet")


def test_a_folder_outside_git_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(HostError) as caught:
        tree.head(tmp_path)

    assert str(caught.value) == f"{tmp_path}: not a git repository; run `git init` there, or check out one"


def test_without_git_on_the_path_the_sentence_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(HostError, match="install git"):
        tree.head(root)


def test_variables_that_git_sets_for_hooks_do_not_redirect(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit(root, "a.py")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")

    assert tree.head(root).commit == first


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
