"""Git in real repositories: what head is, uncommitted work included."""

from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.load import tree
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real


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


@pytest.mark.parametrize("staged", [False, True])
def test_a_baseline_that_was_just_recorded_is_no_change_to_the_code(root: Path, staged: bool) -> None:
    commit(root, "ci/kgate/cpu.json", "{}\n")
    clean = tree.head(root)

    (root / "ci/kgate/cpu.json").write_text('{"cases": {}}\n')
    (root / "ci/kgate/h200.json").write_text("{}\n")
    if staged:
        git(root, "add", "--all")

    assert tree.head(root, root / "ci/kgate") == clean
    assert tree.head(root).dirty
    assert tree.head(root, root.parent / "elsewhere").dirty


def test_code_beside_a_baseline_is_code(root: Path) -> None:
    commit(root, "ci/[k]/cpu.json", "{}\n")

    (root / "ci/[k]/a.py").write_text("x\n")
    beside = tree.head(root, root / "ci/[k]")
    (root / "ci/[k]/cpu.json").write_text("[]\n")

    assert beside.dirty
    assert tree.head(root, root / "ci/[k]") == beside


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


def test_an_edit_of_a_tracked_file_counts_even_in_what_looks_like_an_environment(root: Path) -> None:
    commit(root, "acme/pyvenv.cfg")
    commit(root, "acme/kernel.py")

    (root / "acme" / "kernel.py").write_text("edited\n")

    assert tree.head(root).dirty


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
