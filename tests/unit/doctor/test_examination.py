"""Which manifest an examination is about."""

import tempfile
from pathlib import Path

import pytest

from kgate.doctor import declared
from kgate.errors import HostError, ManifestError


def test_without_a_manifest_here_there_is_none_and_nothing_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert declared(None) == (None, "")


def test_one_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="no such file"):
        declared(tmp_path / "kgate.yaml")


def test_one_that_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "kgate.yaml").write_text("version: 1\nkernel: {}\n")

    manifest, trouble = declared(tmp_path)

    assert manifest is None
    assert "kgate.yaml:2" in trouble


def test_a_folder_that_is_gone_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
    with pytest.raises(HostError, match="folder is gone"):
        declared(None)
