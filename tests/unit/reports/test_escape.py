"""Whatever a kernel says, it is shown and does nothing."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.escape import fenced, markdown, marked, plain
from tests.unit.reports.hostile import ATTACKS, hostile, page_of


@given(st.text(st.characters(codec=None)))
def test_plain_text_holds_nothing_that_moves_a_terminal(text):
    shown = plain(text)

    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)
    assert len(shown) <= 400
    shown.encode("utf-8")


def test_control_characters_are_shown_as_pictures():
    assert plain("\x1b[31mred\x1b[0m\r\nnext\x00") == "␛[31mred␛[0m  next␀"


def test_ordinary_text_is_left_alone():
    assert plain("K = 4096, ±1 %, 模型 é") == "K = 4096, ±1 %, 模型 é"
    assert markdown("acme.ops:linear_gelu is 1.2 times slower") == "acme.ops:linear_gelu is 1.2 times slower"


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_in_a_list_item_is_one_item_of_plain_text(attack):
    page = page_of(f"- {markdown(attack)}\n- next\n")

    assert page.opened == ["ul", "li", "li"]


@given(hostile)
def test_any_text_in_a_table_cell_stays_in_its_cell(text):
    page = page_of(f"| a | b |\n| :-- | --: |\n| {markdown(text)} | 1 |\n| x | y |\n")

    assert page.opened == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td", "tr", "td", "td"]


@given(hostile)
def test_any_text_reads_as_it_was_written_and_pings_links_and_refers_to_nobody(text):
    page = page_of(f"- {markdown(text)}\n")

    assert set(page.opened) <= {"ul", "li"}
    assert page.text.replace("\u200b", "").split() == plain(text).split()
    assert not re.search(r"@[A-Za-z0-9]|#\d|://|www\.|\bGH-\d", page.text, re.IGNORECASE)


def test_code_marks_of_an_advice_show_as_code():
    assert marked("Set `owners:` in *the* manifest, or `policy`.") == r"Set `owners:` in \*the\* manifest, or `policy`."


@given(hostile)
def test_an_advice_of_any_text_shows_it_and_opens_nothing_but_code(text):
    page = page_of(f"- {marked(text)}\n- next\n")

    assert page.opened.count("li") == 2
    assert set(page.opened) <= {"ul", "li", "code"}
    assert not re.search(r"@[A-Za-z0-9]|#\d|://|www\.|\bGH-\d", page.text, re.IGNORECASE)


@given(before=hostile, after=hostile)
def test_names_around_a_code_mark_cannot_close_it_or_hide_in_it(before, after):
    around = [text.replace("`", "'") for text in (before, after)]

    page = page_of(f"- {marked(' `code` '.join(around))}\n")

    assert page.opened.count("code") == plain(" `code` ".join(around)).count("`code`")


@given(hostile)
def test_a_fence_holds_any_texts_a_line_each(text):
    page = page_of(f"{fenced('first', text)}\n\nafter\n")

    assert page.opened == ["pre", "code", "p"]
    assert fenced("first", text).count("\n") == 3


@given(hostile)
def test_a_fence_holds_any_text(text):
    page = page_of(f"{fenced(text)}\n\nafter\n")

    assert page.opened == ["pre", "code", "p"]
    assert page.text.strip() == "after"
