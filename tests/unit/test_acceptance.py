"""`kgate accept`: an entry in the manifest as it was written, or a sentence that says why not."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate.acceptance import Order, accept
from kgate.errors import UsageError
from kgate.load.manifest import load

MANIFEST = """\
version: 1  # of the form
kernels:
  gelu:
    owners: ["@ada"]
    dispatch: acme.ops:gelu
    args:
      x: {shape: [M], dtype: float32}
    workloads:
      small: {M: 64}  # often
"""
LISTED = 'accepted:\n    - {case: gelu/old, rule: slower-than-base, bound: 0.1, reason: "x", until: 2999-01-31}\n'


@pytest.fixture
def order(tmp_path: Path) -> Order:
    (tmp_path / ".git").mkdir()
    (tmp_path / "kgate.yaml").write_text(MANIFEST)
    return Order(
        manifest=tmp_path / "kgate.yaml",
        case="gelu/small@h200",
        rule="slower-than-base",
        bound="8%",
        reason='exact: "at last"',
        until="2999-01-31",
    )


def test_the_entry_stands_at_the_end_and_all_else_is_as_it_was(order: Order) -> None:
    said = accept(order)

    (entry,) = load(order.manifest).accepted
    assert (entry.case, entry.rule, entry.bound) == ("gelu/small", "slower-than-base", 0.08)
    assert (entry.reason, entry.until) == ('exact: "at last"', "2999-01-31")
    assert order.manifest.read_text().startswith(MANIFEST)
    assert said.startswith("kgate.yaml: slower-than-base of gelu/small is accepted up to +8.0% until 2999-01-31;")


@pytest.mark.parametrize("behind", ["", "policy: {unsteady: warn}\n", "# the end\n", "\n\n"])
def test_a_list_that_is_there_gets_a_line_more_in_its_own_form(order: Order, behind: str) -> None:
    order.manifest.write_text(MANIFEST + LISTED + behind)

    accept(order)

    assert [entry.case for entry in load(order.manifest).accepted] == ["gelu/old", "gelu/small"]
    assert behind in order.manifest.read_text()


def test_an_entry_of_several_lines_stays_whole(order: Order) -> None:
    listed = "accepted:\n  - case: gelu/old\n    rule: slower-than-base\n"
    listed += "    bound: 0.1\n    reason: x\n    until: 2999-01-31\n"
    order.manifest.write_text(MANIFEST + listed)

    accept(order)

    assert [entry.case for entry in load(order.manifest).accepted] == ["gelu/old", "gelu/small"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"case": "gelu/smal"}, "gelu/smal: no such case; did you mean 'gelu/small'?"),
        ({"bound": "8 percent"}, "--bound 8 percent: not above 0"),
        ({"bound": "0%"}, "--bound 0%: not above 0"),
        ({"bound": "2000%"}, "--bound 2000%: not above 0 and up to"),
        ({"until": "soon"}, "--until soon: not a day as YYYY-MM-DD"),
        ({"until": "2020-01-31"}, "--until 2020-01-31: not after today"),
        ({"reason": " "}, "--reason: is empty"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    order: Order, changes: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        accept(replace(order, **changes))

    assert str(caught.value).startswith(said)
    assert order.manifest.read_text() == MANIFEST


def test_a_case_that_is_accepted_already_is_named_with_its_line(order: Order) -> None:
    accept(order)

    with pytest.raises(UsageError, match=r"^kgate\.yaml:11: slower-than-base of gelu/small is accepted already"):
        accept(order)


@pytest.mark.parametrize("form", ["accepted: []\n", LISTED.replace("\n    - ", " [").replace("}\n", "}]\n")])
def test_a_list_in_another_form_is_left_to_its_author(order: Order, form: str) -> None:
    order.manifest.write_text(MANIFEST + form)

    with pytest.raises(UsageError, match=r"^kgate\.yaml: "):
        accept(order)

    assert order.manifest.read_text() == MANIFEST + form
