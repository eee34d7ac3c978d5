"""The ledger: what was recorded is there after any kind of end."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgate.errors import HostError
from kgate.model import Failure
from kgate.runner.ledger import Ledger
from kgate.runner.records import outcome_from_json

NAMES = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.tuples(NAMES, NAMES, VALUES), max_size=6)


@settings(max_examples=30)
@given(RECORDS)
def test_what_was_recorded_is_recalled_after_opening_anew(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("ledger") / "key.jsonl"
    with Ledger.open(path) as ledger:
        for record in records:
            ledger.record(*record)

    with Ledger.open(path) as again:
        recalled = {(kind, name): again.recall(kind, name) for kind, name, _ in records}

    assert recalled == {(kind, name): value for kind, name, value in records}


@settings(max_examples=30)
@given(RECORDS.filter(len), st.data())
def test_a_file_cut_anywhere_keeps_every_whole_line_and_takes_new_ones(tmp_path_factory, records, data):
    path = tmp_path_factory.mktemp("ledger") / "key.jsonl"
    with Ledger.open(path) as ledger:
        for record in records:
            ledger.record(*record)
    written = path.read_bytes()
    cut = data.draw(st.integers(0, len(written)))
    whole = records[: written[:cut].count(b"\n")]

    path.write_bytes(written[:cut])
    with Ledger.open(path) as ledger:
        ledger.record("new", "line", 1)
    with Ledger.open(path) as again:
        kept = dict(again.entries)

    assert kept == {**{(k, n): v for k, n, v in whole}, ("new", "line"): 1}


def test_the_last_record_of_a_name_counts_and_order_is_that_of_the_first(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        for name, value in (("b", 1), ("a", 2), ("b", 3)):
            ledger.record("outcome", name, value)
        ledger.record("launch", "c", 4)

        assert list(ledger.all("outcome").items()) == [("b", 3), ("a", 2)]


def test_what_was_never_recorded_is_none(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        assert ledger.recall("outcome", "a") is None


def test_a_second_run_of_the_same_key_is_told_to_wait(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl"), pytest.raises(HostError, match="another run"):
        Ledger.open(tmp_path / "key.jsonl")


def test_a_file_that_is_no_ledger_is_left_alone_and_named(tmp_path):
    path = tmp_path / "key.jsonl"
    path.write_text('{"kind": "a", "name": "b", "value": 1}\nmy notes\n')

    with pytest.raises(HostError, match=r"key\.jsonl:2: is no line of a ledger"):
        Ledger.open(path)

    assert path.read_text().endswith("my notes\n")


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(HostError, match="cannot be written"):
        Ledger.open(tmp_path / "file" / "key.jsonl")


def test_a_line_is_on_disk_when_record_returns(tmp_path):
    path = tmp_path / "key.jsonl"
    with Ledger.open(path) as ledger:
        ledger.record("outcome", "é", [1.5])

        assert json.loads(path.read_text()) == {"kind": "outcome", "name": "é", "value": [1.5]}


def test_an_entry_that_another_version_has_written_is_one_sentence_with_the_file(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        ledger.record("outcome", "a", {"Failure": {"rung": "run", "reason": "raised", "text": "", "severity": 3}})

        with pytest.raises(HostError, match=r"key\.jsonl: was written by another version of kgate; delete it"):
            ledger.read("outcome", "a", outcome_from_json)


def test_an_entry_is_read_as_its_reader_understands_it(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        ledger.record("outcome", "a", {"Failure": {"rung": "run", "reason": "raised", "text": "", "detail": ""}})

        assert ledger.read("outcome", "a", outcome_from_json) == Failure(rung="run", reason="raised", text="")
        assert ledger.read("outcome", "b", outcome_from_json) is None


def test_what_is_forgotten_is_one_cases_and_the_whole_stays_aside(tmp_path):
    path, aside = tmp_path / "key.jsonl", tmp_path / "key.spent.jsonl"
    aside.write_text("of an earlier run\n")
    with Ledger.open(path) as ledger:
        for kind, name in (("outcome", "head|a@cpu"), ("launch", "3|a@cpu"), ("launch", "3|aa@cpu"), ("look", "8")):
            ledger.record(kind, name, 1)
        before = path.read_bytes()

        ledger.forget({"a@cpu"}, aside)

    with Ledger.open(path) as again:
        assert list(again.entries) == [("launch", "3|aa@cpu"), ("look", "8")]
    assert aside.read_bytes() == before


def test_a_ledger_is_read_while_another_run_writes_it_and_stays_as_it_is(tmp_path):
    path = tmp_path / "key.jsonl"
    with Ledger.open(path) as writing:
        writing.record("outcome", "a", 1)
        before = path.read_bytes()
        path.write_bytes(before + b'{"kind": "out')

        reading = Ledger.recalled(path)
        reading.record("look", "8", 0.01)

        assert reading.entries == {("outcome", "a"): 1, ("look", "8"): 0.01}
        assert path.read_bytes() == before + b'{"kind": "out'


def test_a_ledger_that_is_not_there_is_named(tmp_path):
    with pytest.raises(HostError, match=r"key\.jsonl: cannot be read \(No such file or directory\); name a folder"):
        Ledger.recalled(tmp_path / "key.jsonl")
