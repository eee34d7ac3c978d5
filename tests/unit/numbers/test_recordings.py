"""Recorded launches on disk: what was written is read, and a recording that was cut short keeps what was whole."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.rates.recordings import append, read, read_all
from tests.unit.numbers.starts import start

MADE = start(kernels=2, launches=3)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "one.jsonl.gz"
    for line in (MADE.heading, *MADE.launches):
        append(path, line)
    return path


def test_what_was_written_is_read(file):
    found = read(file)

    assert found is not None
    assert found.heading == MADE.heading
    assert [r.kernels["k1"].ns for r in found.launches] == [r.kernels["k1"].ns for r in MADE.launches]
    assert read_all(file.parent) == [found]


def test_any_tool_reads_it_as_lines_of_json(file):
    assert len(gzip.decompress(file.read_bytes()).splitlines()) == 4


@given(cut=st.floats(0, 1))
def test_a_recording_that_was_cut_short_keeps_the_launches_before(file, cut):
    whole = file.read_bytes()
    short = file.parent / "short"
    short.write_bytes(whole[: int(cut * len(whole))])

    found = read(short)

    launches = [] if found is None else [r.launch for r in found.launches]
    assert launches == [0, 1, 2][: len(launches)]
    assert (len(launches) == 3) == (cut == 1)


def test_no_file_is_no_start(tmp_path):
    assert read(tmp_path / "none") is None


def test_another_format_is_refused(tmp_path):
    (tmp_path / "old").write_bytes(gzip.compress(b'{"format": 7}\n'))

    with pytest.raises(ValueError, match="format 7, where 1 is read; record it anew"):
        read(tmp_path / "old")
