"""The state folder is kgate's own."""

from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.runner.state import folder_at


@pytest.mark.parametrize("name", [".kgate", ".kgate/.gitignore"])
def test_a_link_in_place_of_the_state_folder_is_refused_and_not_written_through(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "repository" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)

    with pytest.raises(HostError, match="is a link"):
        folder_at(tmp_path / "repository")

    assert not any(outside.iterdir())
