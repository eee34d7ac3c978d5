"""Cutting a Markdown text to size without leaving anything open."""

from hypothesis import given
from hypothesis import strategies as st

from kgate.github.fit import NOTE, closing, fit

LIMIT = 6000
LINES = st.sampled_from(["| a | b |", "", "<details><summary>x</summary>", "</details>", "```", "~~~", "text é 🚀"])


def test_a_text_that_fits_is_left_as_it_is():
    assert fit("a\nb", LIMIT) == "a\nb"


def test_a_cut_inside_a_folded_code_block_closes_both():
    text = "<details>\n```\n" + "x\n" * LIMIT

    shortened = fit(text, LIMIT)

    assert shortened.endswith("x\n```\n\n</details>\n\n" + NOTE + "\n")


def test_a_details_tag_within_a_code_block_opens_nothing():
    assert closing(["```\n", "<details>\n", "```\n"]) == ""


def test_the_limit_can_be_in_bytes():
    shortened = fit("é" * 100 + "\n" + "é\n" * LIMIT, LIMIT, lambda part: len(part.encode()))

    assert len(shortened.encode()) <= LIMIT


@given(st.lists(LINES, min_size=0, max_size=80), st.integers(1, 40))
def test_whatever_is_cut_the_result_fits_and_is_closed(lines, times):
    text = "\n".join(lines * times)

    shortened = fit(text, LIMIT)

    assert len(shortened) <= max(LIMIT, len(NOTE))
    if shortened != text:
        assert closing(shortened.splitlines()) == ""
