"""Results of other machines: taken whole, or refused in a clause."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.joining import intake
from kgate.joining.intake import Delivery, deliveries, depth
from tests.unit.ledgers import attempt

NAME = "kgate-h200-1of1-a1"


def folder(root: Path, name: str = NAME) -> Path:
    """Of a leg that ended well."""
    made = root / name
    made.mkdir(parents=True)
    attempt(made / "ledger.jsonl")
    return made


def line(**changes: Any) -> str:
    return json.dumps({"kind": "launch", "name": "0|add/w@h200", "value": {}, **changes})


def refused(root: Path, written: bytes) -> str:
    made = folder(root)
    (made / "ledger.jsonl").write_bytes(written)
    (found,) = deliveries([root])
    assert found.ledger is None
    return found.refused


def test_what_check_wrote_is_taken_and_named_by_its_folder(tmp_path: Path) -> None:
    made = folder(tmp_path)
    for name in ("report.json", "report.txt", "comment.md"):
        (made / name).write_text("not read")

    (found,) = deliveries([tmp_path])

    assert (found.leg, found.attempt, found.refused) == ("h200-1of1", 1, "")
    assert found.ledger is not None
    assert {"premises", "attempt", "launch", "outcome"} <= {kind for kind, _ in found.ledger.entries}


def test_what_was_decided_on_the_other_machine_is_left_out(tmp_path: Path) -> None:
    made = folder(tmp_path)
    with (made / "ledger.jsonl").open("a") as file:
        file.write(line(kind="identity", name="cases", value=["add/w@h200"]) + "\n")

    (found,) = deliveries([tmp_path])

    assert found.ledger is not None
    assert not {kind for kind, _ in found.ledger.entries} & {"look", "identity", "ownership", "standing"}


def test_a_folder_of_results_itself_may_have_any_name(tmp_path: Path) -> None:
    made = folder(tmp_path, "results")

    (found,) = deliveries([made])

    assert (found.folder, found.leg, found.attempt, found.refused) == ("results", "", 0, "")


@pytest.mark.parametrize(
    "name", ["kgate-h200-1of1-a", "kgate-H200-1of1-a1", "kgate--1of1-a1", "kgate-h200-1of1-a99999", "kgate-h200-a1"]
)
def test_a_name_that_no_leg_has_is_nobodys(tmp_path: Path, name: str) -> None:
    folder(tmp_path, name)

    assert [(d.leg, d.attempt) for d in deliveries([tmp_path])] == [("", 0)]


def test_a_file_that_kgate_does_not_write_refuses_its_folder(tmp_path: Path) -> None:
    made = folder(tmp_path)
    (made / "ledger.jsonl\n::error::x").write_text("")

    (found,) = deliveries([tmp_path])

    assert found.refused == "holds 'ledger.jsonl?::error::x', which kgate does not write"


@pytest.mark.parametrize("member", ["ledger.jsonl", "report.json"])
def test_a_link_is_no_file(tmp_path: Path, member: str) -> None:
    made = folder(tmp_path / "legs")
    (tmp_path / "elsewhere").write_text("x")
    (made / member).unlink(missing_ok=True)
    (made / member).symlink_to(tmp_path / "elsewhere")

    (found,) = deliveries([tmp_path / "legs"])

    assert found.refused == f"{member} is no plain file"


def test_a_pipe_is_no_file_and_is_not_waited_for(tmp_path: Path) -> None:
    made = folder(tmp_path)
    (made / "ledger.jsonl").unlink()
    os.mkfifo(made / "ledger.jsonl")

    assert [d.refused for d in deliveries([tmp_path])] == ["ledger.jsonl is no plain file"]


def test_a_link_to_a_folder_is_no_folder(tmp_path: Path) -> None:
    folder(tmp_path / "elsewhere")
    (tmp_path / "legs").mkdir()
    (tmp_path / "legs" / NAME).symlink_to(tmp_path / "elsewhere" / NAME)

    assert [d.refused for d in deliveries([tmp_path / "legs"])] == ["is no folder"]


def test_a_folder_that_is_not_there_and_an_empty_one_bring_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    found = deliveries([tmp_path / "empty", tmp_path / "absent"])

    assert [(d.folder, d.ledger, d.refused) for d in found] == [
        ("absent", None, "absent cannot be looked at (No such file or directory)")
    ]


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (line(value=float("nan")), "NaN"),
        ('{"kind": "launch", "name": "x", "value": 1e999}', "1e999"),
        ('{"kind": "launch", "kind": "launch", "name": "x", "value": 1}', "twice"),
        ('{"kind": "launch", "name": "x", "value": {"a": 1, "a": 2}}', "twice"),
        (line(value=1) + "x", "JSON"),
        ("[" * 100_000, "nested"),
        (line(kind="verdict"), "unknown kind, 'verdict'"),
        (line(name="x" * 2000), "name"),
        (line(name="x\u202egnp"), "name"),
        (line(name=1), "no line of a ledger"),
        (line(more=1), "no line of a ledger"),
        ("[]", "object"),
    ],
)
def test_a_line_that_no_ledger_has_refuses_all(tmp_path: Path, written: str, why: str) -> None:
    assert why in refused(tmp_path, written.encode() + b"\n")


def test_bytes_that_are_no_text_refuse_all(tmp_path: Path) -> None:
    assert "not JSON" in refused(tmp_path, b"\xff\xfe\n")


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "LEDGER_LIMIT_BYTES", 1 << 20)
    monkeypatch.setattr(intake, "LINE_LIMIT_BYTES", 1 << 10)
    monkeypatch.setattr(intake, "LINES_LIMIT", 10)

    assert refused(tmp_path / "a", b"x" * ((1 << 20) + 1)) == "ledger.jsonl has more than 1 MiB"
    assert "line 1 has more than" in refused(tmp_path / "b", b"x" * 1025 + b"\n")
    assert refused(tmp_path / "c", (line() + "\n").encode() * 11) == "more than 10 lines"


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    made = folder(tmp_path)
    with (made / "ledger.jsonl").open("a") as file:
        file.write('{"kind": "lau')

    assert [d.refused for d in deliveries([tmp_path])] == [""]


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_depth_is_that_of_the_value_whatever_its_texts_hold(value: object) -> None:
    def nesting(of: object) -> int:
        inside = of.values() if isinstance(of, dict) else of if isinstance(of, list) else None
        return 0 if inside is None else 1 + max(map(nesting, inside), default=0)

    text = json.dumps([value, "[" * 60])

    assert depth(text.encode()) == 1 + nesting(value)


@given(st.binary(max_size=400))
def test_no_bytes_at_all_do_more_than_refuse(tmp_path_factory: pytest.TempPathFactory, written: bytes) -> None:
    root = tmp_path_factory.mktemp("legs")
    made = root / NAME
    made.mkdir()
    (made / "ledger.jsonl").write_bytes(written)

    (found,) = deliveries([root])

    assert isinstance(found, Delivery)
    assert found.refused.isprintable()
