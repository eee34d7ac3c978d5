"""Stored measurements: what is written comes back, and what is broken is said in one sentence."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import BaselineError
from kgate.load.baselines import Change, diff, held_against, plain, read, write
from kgate.model import Baseline, Fingerprint, StoredCase

CASE = StoredCase(
    custom_ns=1250.5,
    fallback_ns=2000.0,
    spread_log=0.01,
    launches=8,
    errors=({"max_abs_error": 0.0, "psnr": math.inf}, {}),
)
AGAIN = "restore it from git, or record it again with `kgate baseline record`"


def baseline(path: Path, **cases: StoredCase) -> Baseline:
    return Baseline(
        path=str(path),
        device="h200",
        fingerprint=Fingerprint(
            must_match={"gpu": "NVIDIA H200", "torch": "2.11"},
            may_drift={"clock_mhz": 1980.0},
            information={"host": "runner-3"},
        ),
        method="cuda-events-flush",
        commit="0123abcd",
        date="2026-10-07",
        cases={name.replace("__", "/"): case for name, case in cases.items()},
    )


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "ci" / "kgate" / "h200.json"
    stored = baseline(path, gelu__decode=CASE, gelu__ragged=replace(CASE, fallback_ns=None))

    write(path, stored)

    assert read(path) == stored


@given(st.lists(st.dictionaries(st.text(max_size=5), st.floats(allow_nan=False), max_size=3), max_size=3))
def test_every_error_but_nan_survives_json(errors: list[dict[str, float]]) -> None:
    stored = baseline(Path("x.json"), case=replace(CASE, errors=tuple(errors)))

    text = json.loads(json.dumps(plain(stored), allow_nan=False))

    assert [{k: float(v) for k, v in e.items()} for e in text["cases"]["case"]["errors"]] == errors


def test_the_file_reads_well_in_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "h200.json"

    write(path, baseline(path, b=CASE, a=CASE))

    lines = path.read_text().splitlines()
    assert [line.strip(' ":{') for line in lines if line.startswith('    "') and line.endswith('": {')][:2] == [
        "a",
        "b",
    ]
    assert lines[-1] == "}"
    assert '      "custom_ns": 1250.5,' in lines
    assert [p.name for p in tmp_path.iterdir()] == ["h200.json"]


def test_no_file_is_no_baseline(tmp_path: Path) -> None:
    assert read(tmp_path / "h200.json") is None


def without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.pop(key)


def put(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.update(values)


BROKEN = [
    (without("method"), f"the file: 'method' is a required property; {AGAIN}"),
    (put(version=0), f"version: 0 is not one of [1]; {AGAIN}"),
    (put(version=2), "written by a newer kgate (format 2, this one reads 1); update kgate"),
    (put(extra=1), f"the file: Additional properties are not allowed ('extra' was unexpected); {AGAIN}"),
    (put(cases={"a": {}}), f"cases.a: 'custom_ns' is a required property; {AGAIN}"),
    (put(fingerprint={"must_match": {"gpu": 1}}), f"fingerprint.must_match.gpu: 1 is not of type 'string'; {AGAIN}"),
]


@pytest.mark.parametrize(("change", "sentence"), BROKEN)
def test_a_file_that_is_not_of_the_schema_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    path = tmp_path / "h200.json"
    body = plain(baseline(path, case=CASE))
    change(body)
    path.write_text(json.dumps(body))

    with pytest.raises(BaselineError) as caught:
        read(path)

    assert str(caught.value) == f"{path}: {sentence}"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": NaN}', "[" * 100_000, "\x00"])
def test_a_file_that_is_no_baseline_at_all_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "h200.json"
    path.write_text(text)

    with pytest.raises(BaselineError) as caught:
        read(path)

    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith(AGAIN)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ci").write_text("a file where the folder should be")

    with pytest.raises(BaselineError, match="cannot be written"):
        write(tmp_path / "ci" / "h200.json", baseline(tmp_path))


def test_a_diff_has_a_row_for_every_case_of_either() -> None:
    before = baseline(Path("a"), x=CASE, gone=CASE)
    after = baseline(Path("b"), x=replace(CASE, custom_ns=2501.0), new=CASE)

    rows = diff(before, after)

    assert rows == (
        Change(case="gone", before_ns=1250.5, after_ns=None),
        Change(case="new", before_ns=None, after_ns=1250.5),
        Change(case="x", before_ns=1250.5, after_ns=2501.0),
    )
    assert [row.ratio for row in rows] == [None, None, 2.0]


def test_a_change_is_held_against_bases_file_and_not_its_own(tmp_path: Path) -> None:
    for name, commit in (("own", "b" * 40), ("before", "a" * 40)):
        path = tmp_path / f"{name}.json"
        write(path, replace(baseline(path), commit=commit))

    kept, remarks = held_against(tmp_path / "own.json", tmp_path / "before.json")

    assert kept is not None
    assert kept.commit == "a" * 40
    assert remarks == ()


def test_bases_corrupt_file_is_a_remark_and_heads_is_an_error(tmp_path: Path) -> None:
    corrupt, absent = tmp_path / "cpu.json", tmp_path / "absent.json"
    corrupt.write_text("{")

    kept, remarks = held_against(absent, corrupt)

    assert kept is None
    assert len(remarks) == 1
    assert remarks[0].startswith("nothing is held against base's cpu.json, which cannot be read: not JSON")
    for before in (None, absent):
        with pytest.raises(BaselineError, match=r"cpu\.json: not JSON"):
            held_against(corrupt, before)
