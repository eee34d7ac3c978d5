"""`--stream`: every line of a real run against the schema that `kgate schema run` prints."""

import json

import jsonschema
import pytest

from kgate.load import schemas
from tests.contract.check.shop import GOOD, Shop

pytestmark = pytest.mark.real


def test_every_line_of_a_run_that_fails_keeps_the_schema_of_the_stream(shop: Shop) -> None:
    shop.stock({"good": GOOD, "raising": "def kernel(x):\n    raise ValueError('no')\n"})
    schema = jsonschema.Draft202012Validator(schemas.parsed("run"))

    ended = shop.check("--stream", "--base", "none", "--launches", "1")
    lines = [json.loads(line) for line in ended.out.splitlines()]

    assert ended.code == 1, ended.err
    assert [line for line in lines if not schema.is_valid(line)] == []
    told = [
        "run-started",
        "planned",
        "rung-ended",
        "case-ended",
        "look-started",
        "launch-ended",
        "finding",
        "run-ended",
    ]
    assert list(dict.fromkeys(line["event"] for line in lines if line["event"] != "note")) == told


@pytest.mark.nightly
def test_every_failed_rung_says_what_to_do_next_and_where_a_wrong_answer_is_wrong(shop: Shop) -> None:
    shop.stock(
        {
            "raising": "def kernel(x):\n    raise ValueError('no')\n",
            "tail": "def kernel(x):\n    y = 2 * x\n    y[60:] = 0\n    return y\n",
        }
    )

    ended = shop.check("--stream", "--base", "none", "--launches", "1")
    rungs = [e for e in map(json.loads, ended.out.splitlines()) if e["event"] == "rung-ended"]

    failed = {e["case"]: e for e in rungs if not e["ok"] and e["arm"] == "head"}
    assert {(e["rung"], e["reason"]) for e in failed.values()} == {("run", "raised"), ("correctness", "")}
    assert "`kgate repro raising/small@cpu`" in failed["raising/small@cpu"]["next"]
    assert "first at [60], all in the last 4 of 64 elements" in failed["tail/small@cpu"]["next"]
    assert {e["next"] for e in rungs if e["ok"]} == {""}
