"""Each manifest of a repository has a place of its own for its last results."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.load.last import folder_name

ROOT = Path("/repository")
parts = st.text("abc-_. &é", min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))
manifests = st.lists(parts, max_size=3).map(lambda folders: ROOT.joinpath(*folders, "kgate.yaml"))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("kgate.yaml", "last"),
        ("libs/norm/kgate.yaml", "last-libs-norm"),
        ("other.yaml", "last-other.yaml"),
    ],
)
def test_the_name_tells_the_manifest(path: str, name: str) -> None:
    assert folder_name(ROOT / path, ROOT) == name


@given(manifests, manifests)
def test_no_two_manifests_share_a_name_and_every_name_is_a_plain_folder(one: Path, other: Path) -> None:
    names = [folder_name(path, ROOT) for path in (one, other)]

    assert (names[0] == names[1]) == (one == other)
    assert all("/" not in name and name.isascii() and len(name) < 100 for name in names)
