"""`kgate explain`: pages, levels, and names that have no page."""

import pytest

from kgate import rules
from kgate.errors import UsageError


def test_a_rule_of_another_version_is_known_and_not_taken_for_a_misspelling():
    with pytest.raises(UsageError, match="the rule not-tuned-here is known, but not in this version"):
        rules.explain("not-tuned-here")


def test_a_name_that_is_near_nothing_gets_no_suggestion():
    with pytest.raises(UsageError) as refused:
        rules.explain("zzzz")

    assert str(refused.value) == "no rule is called 'zzzz'; `kgate explain` lists them all"


def test_the_overview_says_which_rules_are_notes_on_a_cpu():
    levels = {line.split()[0]: line.split("  ")[1:] for line in rules.overview().splitlines() if "  " in line}

    assert "fail (note on a CPU)" in [part.strip() for part in levels["slower-than-base"]]
    assert "fail" in [part.strip() for part in levels["wrong-result"]]
