"""The reviewed file: what was written is read, what is not whole is refused, and base's holds."""

import json
from dataclasses import replace

import pytest

from kgate.errors import BaselineError
from kgate.load import calibrations
from kgate.model import Fingerprint
from tests.unit.calibration.made import FINGERPRINT, calibration, case


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "calibration" / "h200.json"
    made = calibration(path=str(path))

    calibrations.write(path, made)

    assert calibrations.read(path) == made


def test_a_path_of_the_machine_is_not_written(tmp_path):
    path = tmp_path / "h200.json"
    private = replace(FINGERPRINT, information={"interpreter": "/home/me/python", "host": "gpu-7"})

    calibrations.write(path, calibration(fingerprint=private))

    assert json.loads(path.read_text())["fingerprint"]["information"] == {"host": "gpu-7"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}'])
def test_a_file_that_is_not_whole_is_refused_with_what_to_do(tmp_path, text):
    path = tmp_path / "h200.json"
    path.write_text(text)

    with pytest.raises(BaselineError, match="run `kgate calibrate` again"):
        calibrations.read(path)


def test_no_file_is_nothing_known(tmp_path):
    found, missing = calibrations.held_to(tmp_path / "a.json", None, FINGERPRINT)

    assert (found, missing) == (None, "`kgate calibrate` measures it")


def test_a_change_does_not_set_its_own_levels(tmp_path):
    own, before = tmp_path / "own.json", tmp_path / "base.json"
    calibrations.write(own, calibration(commit="mine"))
    calibrations.write(before, calibration(commit="reviewed"))

    found, _ = calibrations.held_to(own, before, FINGERPRINT)

    assert found is not None
    assert found.commit == "reviewed"


def test_a_change_that_brings_the_file_along_waits_for_the_merge(tmp_path):
    own = tmp_path / "own.json"
    calibrations.write(own, calibration())

    found, missing = calibrations.held_to(own, tmp_path / "none.json", FINGERPRINT)

    assert found is None
    assert missing.endswith("and base has no file of it")


def test_another_fingerprint_sets_no_level_and_is_named(tmp_path):
    own = tmp_path / "own.json"
    calibrations.write(own, calibration())

    found, missing = calibrations.held_to(own, None, Fingerprint(must_match={"gpu": "B200"}))

    assert (found, missing) == (None, "measured on another fingerprint (gpu)")


def test_cases_of_an_earlier_calibration_are_kept_where_they_compare():
    kept = calibration(cases={"gemm/a": case(), "gemm/b": case()})
    taken = calibration(cases={"gemm/b": case(launches=96)})

    assert {n: c.launches for n, c in calibrations.merged(kept, taken).cases.items()} == {"gemm/a": 48, "gemm/b": 96}
    elsewhere = replace(taken, fingerprint=Fingerprint(must_match={"gpu": "B200"}))
    assert set(calibrations.merged(kept, elsewhere).cases) == {"gemm/b"}
