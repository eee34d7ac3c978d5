"""What GPUs were seen to do at most is kept from run to run."""

import pytest

from kgate.protocol import Identity
from kgate.runner.peaks import completed, known

SEEN = {"peak-bytes-per-s": 4e12}


def identity(uuid: str, peaks: dict[str, float]) -> Identity:
    return Identity(must_match={}, may_drift={}, information={"uuid": uuid}, adapters={}, devices={}, peaks=peaks)


def test_what_was_measured_is_known_the_next_time(tmp_path):
    file = tmp_path / "peaks.json"
    completed(identity("a", SEEN), file, known(file))

    again = completed(identity("a", {}), file, known(file))

    assert again == SEEN
    assert set(known(file)) == {"a"}


def test_another_gpu_is_kept_beside_it(tmp_path):
    file = tmp_path / "peaks.json"
    for uuid in "ab":
        completed(identity(uuid, SEEN), file, known(file))

    assert known(file) == {"a": SEEN, "b": SEEN}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 3}', '{"a": {"peak-bytes-per-s": "fast"}}'])
def test_a_file_that_is_not_whole_knows_nothing(tmp_path, text):
    file = tmp_path / "peaks.json"
    file.write_text(text)

    assert known(file) == {}


def test_a_peak_of_nothing_is_no_peak(tmp_path):
    file = tmp_path / "peaks.json"
    file.write_text('{"a": {"peak-bytes-per-s": 0}}')

    assert known(file) == {"a": {}}


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_next_measurement(tmp_path):
    assert completed(identity("a", SEEN), tmp_path / "gone" / "peaks.json", {}) == SEEN
