"""Every kernel of the quickstart is right, and so is its way out."""

import pytest

pytestmark = pytest.mark.real

ROUNDING = 2.0**-23  # of float32


@pytest.mark.parametrize("tree", ["quickstart-base", "quickstart-head"])
def test_every_path_equals_the_float64_answer_to_a_few_roundings(tree: str, told) -> None:
    found = told(tree)

    assert len(found) == 12
    for answer in found.values():
        for path in ("custom", "fallback", "dispatch"):
            assert answer[path]["dtype"] == "float32", answer
            assert 0 <= answer[path]["error"] < 32 * ROUNDING, answer


def test_every_switch_leads_to_the_fallback_and_to_it_alone(told) -> None:
    found = told("quickstart-head", "switch")

    assert {tuple(answer["reached"]) for answer in found.values()} == {("fallback",)}
