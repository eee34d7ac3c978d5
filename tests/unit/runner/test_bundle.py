"""The worker as a zip file."""

import sys
import zipfile

import pytest

from kgate.errors import HostError
from kgate.runner.bundle import packed


def test_the_same_sources_make_the_same_bytes(tmp_path):
    one, other = packed(tmp_path / "one"), packed(tmp_path / "other")

    assert one.read_bytes() == other.read_bytes()


def test_a_bundle_that_is_right_already_is_not_written_again(tmp_path):
    written = packed(tmp_path).stat()

    assert packed(tmp_path).stat().st_ino == written.st_ino


def test_nothing_of_the_gate_is_in_it_but_what_the_worker_shares(tmp_path):
    names = zipfile.ZipFile(packed(tmp_path)).namelist()

    outside = [n for n in names if not n.startswith("kgate/worker/")]
    assert outside == ["__main__.py", "kgate/__init__.py", "kgate/protocol.py", "kgate/wire.py"]


def test_every_file_in_it_is_python(tmp_path):
    bundle = zipfile.ZipFile(packed(tmp_path))

    for name in bundle.namelist():
        compile(bundle.read(name), name, "exec", dont_inherit=True)
    assert sys.version_info >= (3, 10)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(HostError, match=r"worker\.zip: cannot be written"):
        packed(tmp_path / "file")
