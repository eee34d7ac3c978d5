"""JUnit's XML: of the form that Jenkins accepts, and read back by a program that nobody here wrote."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from kgate.escape import plain
from kgate.model import HEAD, SWITCH_ON, Carried, Case, Finding, Ownership, Report
from kgate.reports import Style, junit
from tests.unit.builders import (
    answer,
    drill,
    drilled,
    failure,
    kernel,
    report_of,
    run_of,
    with_comparisons,
    with_outcomes,
    wrong,
)
from tests.unit.reports.hostile import hostile
from tests.unit.reports.sample import sample

# What junit-10.xsd of Jenkins' xunit plugin allows: for each element those within it, and (needed, other) attributes.
COUNTS = {"tests", "failures", "errors"}
SAID = (set(), {"type", "message"})
FORM = {
    "testsuites": ({"testsuite"}, (set(), {"name", "time", *COUNTS})),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        (
            {"name", *COUNTS},
            {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        ),
    ),
    "properties": ({"property"}, (set(), set())),
    "property": (set(), ({"name", "value"}, set())),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        ({"name"}, {"time", "classname", "group"}),
    ),
    "failure": (set(), SAID),
    "error": (set(), SAID),
    "skipped": (set(), SAID),
    "system-out": (set(), (set(), set())),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def document(report: Report) -> str:
    return junit.render(report, Style())


def flaws(text: str) -> list[str]:
    """Where a document is not of the form, as short notes."""
    root = ET.fromstring(text)
    found = [] if root.tag == "testsuites" else [f"root {root.tag}"]
    for element in root.iter():
        within, (needed, other) = FORM[element.tag]
        found += [f"{child.tag} in {element.tag}" for child in element if child.tag not in within]
        found += [f"{element.tag} without {name}" for name in needed - set(element.attrib)]
        found += [f"{element.tag} with {name}" for name in set(element.attrib) - needed - other]
        if not TIME.fullmatch(element.get("time", "")):
            found.append(f"time {element.get('time')}")
    return found


def read(report: Report) -> list[tuple[str, TestCase]]:
    """Tests with their suite, as another program reads them."""
    return [(suite.name, case) for suite in JUnitXml.fromstring(document(report).encode()) for case in suite]


def outcomes(report: Report) -> Counter[str]:
    return Counter(type(case.result[0]).__name__ if case.result else "passed" for _, case in read(report))


def test_a_report_with_every_finding_is_of_the_form_that_jenkins_accepts():
    assert flaws(document(sample())) == []


def test_a_green_report_passes_every_case():
    report = report_of(run_of(kernel("a"), kernel("b", workloads=("one", "two"))))

    assert flaws(document(report)) == []
    assert [(suite, case.name) for suite, case in read(report)] == [("a", "small"), ("b", "one"), ("b", "two")]
    assert outcomes(report) == {"passed": 3}


def test_the_numbers_of_a_suite_are_those_of_its_tests():
    for suite in ET.fromstring(document(sample())):
        kinds = Counter(child.tag for case in suite.iter("testcase") for child in case)
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert (int(suite.get("failures")), int(suite.get("errors"))) == (kinds["failure"], kinds["error"])
        assert int(suite.get("skipped")) == kinds["skipped"]


def test_a_finding_that_blocks_is_a_failure_with_its_rule_and_what_to_do():
    report = report_of(with_comparisons(run_of(kernel("a")), (HEAD, wrong())))

    ((suite, case),) = read(report)

    assert (suite, case.name, case.classname) == ("a", "small", "kgate.a")
    (result,) = case.result
    assert isinstance(result, Failure)
    assert result.type == "wrong-result"
    assert result.message.startswith("acme.a:fused on workload small differs from the reference")
    assert "What to do: Compare acme.a:fused" in result.text


def test_what_could_not_be_decided_is_an_error():
    report = report_of(with_outcomes(run_of(kernel("a")), (HEAD, None)))

    assert [type(case.result[0]) for _, case in read(report) if case.result] == [Error]


def test_every_finding_that_blocks_is_in_one_test_and_no_other_fails():
    report = sample()

    bad = [case.result[0] for _, case in read(report) if case.result and not isinstance(case.result[0], Skipped)]

    told = "\n".join(result.text for result in bad)
    blocking = [f for f in report.findings if f.blocks]
    assert all(told.count(plain(f"{f.rule}: {f.sentence}", 4000)) >= 1 for f in blocking)
    assert len(bad) <= len(blocking)
    assert {result.type for result in bad} <= {f.rule for f in blocking}


def test_a_case_that_an_earlier_run_proved_is_skipped_with_that_run():
    proved = Carried(run="3f2e", commit="c" * 40, started="2026-10-01T00:00:00+00:00")
    carried = {Case(kernel="a", workload="small", device="cpu"): proved}
    run = replace(run_of(kernel("a"), kernel("b")), carried=carried)

    seen = dict(read(report_of(replace(run, cases=run.cases[1:]))))

    (result,) = seen["a"].result
    assert isinstance(result, Skipped)
    assert result.message == "proved by run 3f2e at commit ccccccccc, and unchanged since"
    assert not seen["b"].result


def test_a_drill_that_was_not_run_is_skipped_and_says_why():
    run = drilled(run_of(kernel("gemm")), (drill(cases=(), not_run="the switch is no environment variable"), None))

    case = next(case for _, case in read(report_of(run)) if case.name == "drill package-absent")

    (result,) = case.result
    assert isinstance(result, Skipped)
    assert result.message == "the switch is no environment variable"


def test_a_condition_that_did_not_come_about_is_no_test_that_passed():
    never = answer(reached_custom=0, reached_fallback=1)
    met = answer(reached_custom=0, reached_fallback=1, not_met="acme.gemm:fused was not called")
    run = drilled(with_outcomes(run_of(kernel("gemm")), (SWITCH_ON, never)), (drill(), met))

    case = next(case for _, case in read(report_of(run)) if case.name == "drill package-absent")

    (result,) = case.result
    assert isinstance(result, Skipped)
    assert result.message == "not met: acme.gemm:fused was not called"


def test_a_finding_on_no_case_is_a_test_of_its_own():
    before = {"a": Ownership(owners=("@acme/kernels",))}
    report = report_of(run_of(kernel("a", owners=()), base_ownership=before))

    names = {(suite, case.name): case.result for suite, case in read(report)}

    assert names[("a", "small")] == []
    assert isinstance(names[("a", "owner-missing: a")][0], Failure)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(hostile)
def test_no_text_breaks_the_document_or_is_lost(text):
    def spoil(found: Finding) -> Finding:
        return replace(found, sentence=text, advice=text, name=text, kernel=text, rule=text)

    report = report_of(with_outcomes(run_of(kernel("a")), (HEAD, failure())))
    spoiled = replace(report, findings=tuple(map(spoil, report.findings)), manifest=text, head=text, base=text)

    told = document(spoiled)

    assert flaws(told) == []
    messages = [failed.get("message") for failed in ET.fromstring(told).iter("failure")]
    assert messages == [plain(text)] * len(spoiled.findings)
