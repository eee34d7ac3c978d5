"""A manifest that is not where it was looked for is told with the way to the one that there is."""

from pathlib import Path

import pytest

from kgate.errors import ManifestError
from kgate.load.manifest import load
from tests.unit.load.wrong import manifest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A git root below a folder that holds a manifest of its own, which is none of its business."""
    (tmp_path / "kgate.yaml").write_text(manifest())
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    return tmp_path / "repository"


def put(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kgate.yaml").write_text(manifest())


def refused_in(folder: Path, monkeypatch: pytest.MonkeyPatch, asked: str = "kgate.yaml") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    with pytest.raises(ManifestError) as caught:
        load(Path(asked))
    return str(caught.value)


def test_one_in_a_parent_folder_is_named_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root)
    put(root / "src" / "norm")

    assert refused_in(root / "src", monkeypatch) == (
        "kgate.yaml: no such file; there is one at ../kgate.yaml: run there or pass --manifest ../kgate.yaml"
    )


def test_a_path_with_blanks_can_be_pasted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root / "my norm")

    assert refused_in(root, monkeypatch).endswith("pass --manifest 'my norm/kgate.yaml'")


@pytest.mark.parametrize("place", ["norm", "libs/norm", "python/libs/norm"])
def test_one_up_to_three_levels_below_is_named(root: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    put(root / place)

    assert refused_in(root, monkeypatch) == (
        f"kgate.yaml: no such file; there is one at {place}/kgate.yaml: run there or pass --manifest {place}/kgate.yaml"
    )


@pytest.mark.parametrize("place", ["a/b/c/d", ".hidden", "src/.kgate/trees"])
def test_one_deeper_hidden_or_above_the_git_root_is_not(
    root: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    put(root / place)

    assert refused_in(root, monkeypatch) == "kgate.yaml: no such file; write one, or name another with --manifest"


def test_another_name_that_does_not_exist_is_told_of_the_one_beside_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root)

    assert refused_in(root, monkeypatch, "gate.yaml") == (
        "gate.yaml: no such file; there is one at kgate.yaml: run there or pass --manifest kgate.yaml"
    )


def test_the_folder_itself_may_be_missing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root)

    assert refused_in(root, monkeypatch, "lib/kgate.yaml").startswith(
        "lib/kgate.yaml: no such file; there is one at kgate.yaml:"
    )


@pytest.mark.parametrize("asked", ["kgate.yaml", "linked", "linked/kgate.yaml"])
def test_one_that_a_link_in_the_repository_leads_to_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    put(root / "conf")
    (root / "kgate.yaml").symlink_to("conf/kgate.yaml")
    (root / "linked").symlink_to("conf")

    assert "is reached through a link" in refused_in(root, monkeypatch, asked)


def test_a_link_above_the_repository_leads_to_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root)
    (root.parent / "here").symlink_to("repository")
    monkeypatch.chdir(root.parent)

    assert load(Path("here/kgate.yaml")).path == (root / "kgate.yaml").resolve()


def test_two_lines_that_ignore_one_path_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"  - {{path: examples/, reason: shown, expires: {year}-01-01}}" for year in (2099, 2027)]
    (root / "kgate.yaml").write_text("\n".join([manifest().rstrip(), "ignore:", *lines, ""]))

    assert "'examples/' is ignored in line" in refused_in(root, monkeypatch)
