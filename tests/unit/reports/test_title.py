"""The heading of a group of findings: what it is about, and how it stands."""

from dataclasses import replace

import pytest

from kgate.model import Finding, Level, Scope
from kgate.reports._view import Group, title

FINDING = Finding(
    rule="not-measured",
    level=Level.FAIL,
    scope=Scope.CASE,
    name="gemm/a",
    kernel="gemm",
    sentence="it gave no answer",
    advice="Mend it.",
)


@pytest.mark.parametrize(
    ("scope", "undecided", "said"),
    [
        (Scope.CASE, False, "gemm/a"),
        (Scope.CASE, True, "gemm/a, could not be decided"),
        (Scope.RUN, False, ""),
        (Scope.RUN, True, "could not be decided"),
    ],
)
def test_a_finding_of_the_run_names_no_case_and_begins_without_a_comma(scope, undecided, said):
    group = Group(findings=(replace(FINDING, scope=scope, undecided=undecided),))

    assert title(group) == said
