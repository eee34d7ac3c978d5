"""The event stream: lines of a run against the schema that other programs read them by."""

import json
import math
from typing import Any

import jsonschema
import pytest

from kgate.load import schemas
from kgate.model import HEAD, Event
from kgate.protocol import RUNGS
from kgate.reports import events
from kgate.runner import rungs
from kgate.runner.lockstep import Launch
from kgate.runner.milestones import launch_ended, look_started
from tests.unit.builders import failure, report_of, run_of, with_outcomes
from tests.unit.reports.sample import sample

SCHEMA = schemas.parsed("run")
CASE = {"case": "gemm/small@cpu", "arm": "head"}
LAUNCH = Launch(
    timings={},
    failures={},
    exported={},
    start_s={"head": 5.18},
    spent_s={"Prepare": 0.25, "TimeBlock": 1.5},
    busy_s=0.6,
)
# As gate and runner emit them while a run lasts; a contract test reads all lines of a real run.
DURING = (
    Event(name="run-started", fields={"key": "6fe86e9bb85003f2", "device": "cpu", "head": "fa68", "base": ""}),
    Event(name="planned", fields={"cases": 1, "steps": 9}),
    rungs.climbed("gemm/small@cpu", HEAD, "import", 226376),
    rungs.failed("gemm/small@cpu", HEAD, failure("hung", "60 s"), "acme.gemm:fused"),
    rungs.refused("gemm/small@cpu", HEAD, "correctness", "row error 1", "acme.gemm:fused", "first at [3]"),
    Event(name="case-ended", fields={**CASE, "ok": False}),
    Event(name="note", fields={"arm": "head", "text": "its zygote died; started anew"}),
    look_started(8, 1, 3, 61.2, confirming=False),
    look_started(8, 1, 3, math.inf, confirming=False),
    launch_ended(0, 1, [LAUNCH, LAUNCH], confirming=False),
)


def refused(line: dict[str, Any]) -> bool:
    return not jsonschema.Draft202012Validator(SCHEMA).is_valid(line)


@pytest.mark.parametrize("report", [sample(), report_of(run_of()), report_of(run_of(baseline=None, latency={}))])
def test_every_line_of_a_run_keeps_the_schema(report):
    lines = [json.loads(events.render(event)) for event in (*DURING, *events.of_report(report))]

    problems = [line for line in lines if refused(line)]

    assert problems == []


def test_the_schema_knows_each_stable_name_and_refuses_others():
    names = ["run-started", "planned", "rung-ended", "case-ended", "look-started", "launch-ended", "note"]
    names += ["finding", "run-ended"]

    known = [entry["$ref"].rpartition("/")[2] for entry in SCHEMA["oneOf"]]

    assert known == names
    assert refused({"event": "surprise"})
    assert refused({"event": "planned", "cases": 1})
    assert refused({"event": "planned", "cases": 1, "steps": 9, "surprise": 1})


def test_an_event_and_a_report_describe_the_same_thing_in_the_same_words():
    defs, report = SCHEMA["$defs"], schemas.parsed("report")

    finding = {name: field for name, field in defs["finding"]["properties"].items() if name != "event"}
    ended = defs["run-ended"]["properties"]

    assert finding == report["$defs"]["finding"]["properties"]
    assert {n: ended[n] for n in ("verdict", "exit_code", "wall_s")} == {
        n: report["properties"][n] for n in ("verdict", "exit_code", "wall_s")
    }
    assert {n: defs[n] for n in ("number", "place")} == {n: report["$defs"][n] for n in ("number", "place")}


def test_the_rungs_of_the_schema_are_those_of_the_ladder():
    assert tuple(SCHEMA["$defs"]["rung-ended"]["properties"]["rung"]["enum"]) == RUNGS


def test_events_are_one_ascii_line_each_and_end_with_the_verdict():
    report = report_of(with_outcomes(run_of(), (HEAD, failure(text="a\nb\x1b[0m é"))))

    lines = [events.render(event) for event in events.of_report(report)]

    assert all(line.isascii() and line.isprintable() for line in lines)
    parsed = [json.loads(line) for line in lines]
    assert [p["event"] for p in parsed] == ["finding", "run-ended"]
    assert parsed[0]["rule"] == "does-not-run"
    assert parsed[-1]["verdict"] == "fail"
    assert parsed[-1]["exit_code"] == 1
