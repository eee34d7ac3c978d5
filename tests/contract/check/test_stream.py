"""`--stream`: every line of a real run against the schema that `kgate schema run` prints."""

import json

import jsonschema
import pytest

from kgate.load import schemas
from tests.contract.check.shop import Shop

pytestmark = pytest.mark.real


def test_every_line_of_a_run_that_fails_keeps_the_schema_of_the_stream(shop: Shop) -> None:
    shop.stock({"raising": "def kernel(x):\n    raise ValueError('no')\n"})
    schema = jsonschema.Draft202012Validator(schemas.parsed("run"))

    ended = shop.check("--stream", "--base", "none", "--launches", "1")
    lines = [json.loads(line) for line in ended.out.splitlines()]

    assert ended.code == 1, ended.err
    assert [line for line in lines if not schema.is_valid(line)] == []
    assert {line["event"] for line in lines} >= {"run-started", "planned", "rung-ended", "case-ended", "finding"}
    assert lines[-1]["event"] == "run-ended"
