"""An example becomes a repository with a past, the same one everywhere."""

from pathlib import Path

import pytest

from kgate.load import manifest
from tests.contract.examples.conftest import ROOT, git, stage

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", ["quickstart", "broken"])
def test_an_example_staged_twice_is_the_same_commit(name: str, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]

    said = [stage(name, folder).stdout.strip() for folder in folders]

    assert said == [str(folder) for folder in folders]
    assert git(folders[0], "rev-parse", "HEAD") == git(folders[1], "rev-parse", "HEAD")
    assert git(folders[0], "rev-list", "--count", "HEAD") == "2"
    assert git(folders[0], "status", "--porcelain") == ""


def test_the_second_commit_of_the_quickstart_holds_its_files_as_they_are_here(trees: dict[str, Path]) -> None:
    listed = git(trees["quickstart-head"], "ls-files").splitlines()

    differing = [
        name
        for name in listed
        if (trees["quickstart-head"] / name).read_bytes() != (ROOT / "examples" / "quickstart" / name).read_bytes()
    ]

    assert listed
    assert differing == []


def test_the_second_commit_of_the_quickstart_changes_a_file_that_every_kernel_loads(trees: dict[str, Path]) -> None:
    changed = git(trees["quickstart-head"], "diff", "--name-only", "HEAD~1", "HEAD")

    assert changed == "acme/paths.py"


def test_an_example_is_never_staged_over_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")

    done = stage("quickstart", tmp_path)

    assert done.returncode == 1
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_example_is_refused_with_the_names_that_exist(tmp_path: Path) -> None:
    done = stage("slowstart", tmp_path / "new")

    assert done.returncode == 2
    assert "{quickstart,broken,gallery}" in done.stderr


@pytest.mark.parametrize(
    ("tree", "kernels"),
    [("quickstart-base", 3), ("quickstart-head", 3), ("broken-base", 7), ("broken-head", 7)],
)
def test_every_manifest_loads_with_workloads_for_both_targets_and_a_source_each(
    tree: str, kernels: int, trees: dict[str, Path]
) -> None:
    loaded = manifest.load(trees[tree] / "kgate.yaml")

    assert len(loaded.kernels) == kernels
    for kernel in loaded.kernels:
        assert {target for workload in kernel.workloads for target in workload.targets} == {"cuda", "cpu"}
        assert all(workload.source and workload.flops and workload.moved_bytes for workload in kernel.workloads)
