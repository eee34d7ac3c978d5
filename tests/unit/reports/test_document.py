"""The JSON report: the whole truth, in the form that its schema describes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kgate import rules
from kgate.model import HEAD
from kgate.reports import Style, document
from tests.unit.builders import answer, compiled, failure, report_of, run_of, with_compiled, with_outcomes
from tests.unit.reports.sample import sample

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "report.schema.json").read_text(encoding="utf-8"))


def written(report: Any) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(document.render(report, Style()), parse_constant=refuse)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema that describes a field."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).values()
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from nodes(item)


@pytest.mark.parametrize("report", [sample(), report_of(run_of()), report_of(run_of(baseline=None, latency={}))])
def test_a_report_keeps_its_schema(report):
    jsonschema.Draft202012Validator(SCHEMA).validate(written(report))


def test_the_schema_is_one_and_describes_every_field():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert all(node.get("description", "").endswith(".") or "…" in node["description"] for node in nodes(SCHEMA))


def test_the_schema_refuses_what_it_does_not_know():
    report = written(report_of(run_of()))

    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate({**report, "surprise": 1}, SCHEMA)


def test_the_sample_holds_each_kind_of_finding_but_the_one_that_silences_others():
    shown = {f["rule"] for f in written(sample())["findings"]}

    assert shown | {"instrument-failed"} == {rule.NAME for rule in rules.RULES}


def test_raw_samples_metrics_and_failures_are_all_there():
    report = written(sample())

    cases = {c["name"]: c for c in report["cases"]}
    arms = {a["arm"]: a for a in cases["raises/small@h200"]["arms"]}
    assert arms["head"]["outcome"]["reason"] == "raised"
    assert cases["slow/small@h200"]["latency"]["launches"][1]["samples_ns"]["head"] == [11_000.0, 11_001.0]
    infinite = {a["arm"]: a for a in cases["infinite/small@h200"]["arms"]}["head"]["comparisons"][0]["metrics"][0]
    assert infinite["value"] == "inf"


def test_two_renderings_are_equal_byte_for_byte():
    assert document.render(sample(), Style()) == document.render(sample(), Style())


def test_text_that_is_no_unicode_and_numbers_that_are_none_are_written_all_the_same():
    odd = answer(note="\ud800", peak=float("nan"))

    report = written(report_of(with_outcomes(run_of(), (HEAD, odd))))

    facts = {a["arm"]: a for a in report["cases"][0]["arms"]}["head"]["outcome"]["facts"]
    assert facts == {"note": "?", "peak": "nan"}


def test_what_no_file_can_hold_is_replaced_and_the_rest_is_there() -> None:
    text = document.render(report_of(run_of(), manifest="caf\udce9/kgate.yaml"), Style())

    assert json.loads(text.encode("utf-8"))["manifest"] == "caf?/kgate.yaml"


def test_what_a_kernel_was_compiled_from_is_told_in_one_place() -> None:
    answered = with_compiled(answer(loaded_files={"acme/gemm.py": "ab" * 32}), compiled(), compiled(config={}))

    report = written(report_of(with_outcomes(run_of(), (HEAD, answered))))

    found = report["kernels"][0]["compile_inputs"]
    assert found["files"] == {"acme/gemm.py": "ab" * 32}
    assert found["configurations"] == ["gemm_kernel sm_90a", "gemm_kernel sm_90a: M=64"]
    assert found["machine"] == report["fingerprint"]["must_match"]


def test_of_a_kernel_that_gave_no_answer_nothing_is_said_to_have_been_compiled() -> None:
    report = written(report_of(with_outcomes(run_of(), (HEAD, failure()))))

    assert report["kernels"][0]["compile_inputs"] == {"files": {}, "configurations": [], "machine": {}}
