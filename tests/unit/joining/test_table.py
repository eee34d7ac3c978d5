"""Joined legs in words: what is missing first, nothing of it able to format, and JSON as its schema has it."""

import json

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from kgate.errors import UsageError
from kgate.joining import rendered, texts_of
from kgate.joining.legs import Joined
from kgate.load import schemas
from kgate.model import Verdict
from kgate.reports import Style, render
from tests.unit.joining.test_legs import LEGS, joined, judged

HOSTILE = "<img src=x> | [a](https://x.example) @octocat #1 `x` **b**\n::error::x"


def missing() -> Joined:
    return joined(
        judged(LEGS[0], trouble="leg h100-1of1 is missing"), judged(LEGS[1], Verdict.PASS), trouble=(HOSTILE,)
    )


def test_a_leg_that_is_missing_is_named_before_anything_else() -> None:
    text = rendered(missing(), "text", Style())

    assert text.startswith(
        "kgate: no-verdict: 1 leg does not answer, which blames nobody and is no pass; 2 legs in all\n"
    )
    assert "- leg h100-1of1 is missing" in text.partition("== leg")[0]


def test_what_another_machine_said_formats_nothing() -> None:
    text = rendered(missing(), "markdown", Style())

    said = next(line for line in text.splitlines() if "img" in line)
    tokens = [token for block in MarkdownIt("commonmark").parse(said) for token in block.children or ()]
    assert {token.type for token in tokens} == {"text"}
    assert "@octocat" not in text
    assert "\n::error" not in text


def test_a_leg_on_probation_is_shown_as_what_it_is_and_what_it_counts_for() -> None:
    found = joined(judged(LEGS[0], Verdict.PASS), judged(LEGS[1], Verdict.FAIL))

    row = next(line for line in rendered(found, "markdown", Style()).splitlines() if line.startswith("| l4-1of1"))

    assert row.split("|")[2:4] == [" fail ", " warn "]


def test_one_leg_with_nothing_to_say_of_it_is_its_report() -> None:
    found = joined(judged(LEGS[0], Verdict.PASS))

    assert texts_of(found)["report.json"] == render(found.legs[0].reports[0], "json", Style())


def test_json_is_as_the_schema_has_it() -> None:
    body = json.loads(texts_of(missing())["report.json"])

    Draft202012Validator(schemas.parsed("joined")).validate(body)
    assert (body["verdict"], body["exit_code"]) == ("no-verdict", 3)
    assert body["legs"][1]["reports"][0]["verdict"] == "pass"


def test_a_format_of_one_run_is_refused_for_several_legs() -> None:
    with pytest.raises(UsageError, match=r"^--format pytest-benchmark: tells of one run"):
        rendered(missing(), "pytest-benchmark", Style())
