"""How the score is kept, on reports that nobody ran."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.contract.check.shop import Ended
from tests.zoo.scorecard import ALARM, ANOTHER, MISSED, NAMED, QUIET, Row, ended_well, row, summary
from tests.zoo.specimen import BadSpecimen, Specimen, read

RULE = "wrong-result"


def specimen(rule: str = RULE, **said: str) -> Specimen:
    lines = {"Kind": "kernel", "Must say": rule, **{key.replace("_", " "): text for key, text in said.items()}}
    return Specimen(name="one", path=Path("one.py"), what="", said=lines, operator="double", before={}, entry={})


def finding(rule: str = RULE, **other: object) -> dict[str, object]:
    usual = {"rule": rule, "kernel": "one", "level": "fail", "pre_existing": False, "blocks": True, "sentence": "s"}
    return {**usual, "undecided": False, **other}


def scored(subject: Specimen, *findings: Mapping[str, Any], cases: int = 1) -> Row:
    report = {"findings": findings, "cases": [{"kernel": "one"}] * cases}
    return row(subject, Ended(code=1, out="", err="", report=report), "", on_gpu=False)


def test_a_finding_of_the_rule_that_the_docstring_names_counts_as_caught() -> None:
    assert scored(specimen(), finding("fallback-wrong"), finding()).result == NAMED


def test_a_finding_of_another_rule_is_counted_apart() -> None:
    assert scored(specimen(), finding("does-not-run")).result == ANOTHER


@pytest.mark.parametrize("other", [{"level": "note"}, {"pre_existing": True}, {"kernel": "two"}])
def test_what_blocks_nothing_or_is_older_or_anothers_does_not_count(other: dict[str, object]) -> None:
    assert scored(specimen(), finding(**other)).result == MISSED


def test_a_time_that_is_still_open_blames_nobody() -> None:
    assert scored(specimen("nothing"), finding("slower-than-base", undecided=True)).result == QUIET
    assert scored(specimen("slower-than-base"), finding("slower-than-base", undecided=True)).result == MISSED
    assert scored(specimen("not-measured"), finding("not-measured", undecided=True)).result == NAMED


def test_any_finding_of_an_honest_kernel_is_a_false_alarm() -> None:
    honest = specimen("nothing")

    assert scored(honest, finding("check-too-loose", level="warn", blocks=False)).result == ALARM
    assert scored(honest).result == QUIET


def test_a_case_that_the_report_lacks_is_missed_and_blames_an_honest_kernel() -> None:
    assert scored(specimen(), cases=0).result == MISSED
    assert scored(specimen("nothing"), cases=0).result == ALARM


def test_what_waits_or_needs_a_gpu_is_not_counted() -> None:
    rows = [scored(specimen(Waits_for="drills")), scored(specimen(Needs="gpu"))]

    assert summary(rows) == ("zoo: 0 specimens, 0 by the named rule, 0 by another, 0 missed; 0 honest, 0 false alarms")


def test_a_miss_ends_badly_unless_its_docstring_says_why() -> None:
    assert not ended_well([scored(specimen())])
    assert ended_well([scored(specimen(Missed="no such check"))])


def test_too_many_by_another_rule_end_badly() -> None:
    named, another = scored(specimen(), finding()), scored(specimen(), finding("does-not-run"))

    assert ended_well([named] * 19 + [another])
    assert not ended_well([named] * 18 + [another])


def test_a_file_that_names_no_rule_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text('"""\nWhat.\n\nSource: C01\nKind: kernel\n"""\n\nOPERATOR = "double"\n')

    with pytest.raises(BadSpecimen, match="Must say"):
        read(path)
