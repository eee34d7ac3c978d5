"""Ratios as bars of text: where they begin and end, and where words are better."""

import math
from dataclasses import replace

import pytest

from kgate.model import BASE, HEAD, Decision, Level
from kgate.reports import Style, markdown
from kgate.reports._bars import WIDTH, bar, bars
from kgate.reports._view import sorted_out
from tests.unit.builders import kernel, latency, ratio, report_of, run_of

SLOWER = Decision.SLOWER


def slowed(*medians: float):
    """A report on as many workloads, each slower than base by its factor."""
    names = tuple(f"w{n}" for n in range(len(medians)))
    run = run_of(kernel("a", workloads=names))
    ratios = [ratio(HEAD.name, BASE.name, median, decision=SLOWER) for median in medians]
    times = {case: latency(found) for case, found in zip(run.cases, ratios, strict=True)}
    return report_of(replace(run, latency=times), {"slower-than-base": Level.FAIL})


def drawn(report):
    (group,) = [g for g in sorted_out(report).blocking if g.first.rule == "slower-than-base"]
    return bars(report.run, group)


@pytest.mark.parametrize(
    ("low", "median", "high", "shown"),
    [
        (1.10, 1.20, 1.30, "│" + " " * 12 + "├" + "─" * 12 + "●" + "─" * 12 + "┤"),
        (1.00, 1.00, 1.30, "●" + "─" * 38 + "┤"),
        (1.30, 1.30, 1.30, "│" + " " * 38 + "●"),
    ],
)
def test_a_bar_lies_where_its_interval_is(low, median, high, shown):
    found = replace(ratio(median=median), low=low, high=high)

    assert bar(found, 1.0, 1.3) == shown
    assert len(shown) == WIDTH


def test_several_slower_cases_are_drawn_on_one_scale_with_their_figures():
    legend, *lines = drawn(slowed(1.10, 1.20))

    assert legend == "│ as fast as base, ● slower by, ├ ┤ 95 % interval over launches"
    assert lines[0].startswith("w0  │")
    assert lines[0].endswith("  +10.0 % (+8.9 … +11.1 %)")
    assert lines[0].index("●") < lines[1].index("●")
    assert {line.index("│") for line in lines} == {4}


def test_one_case_is_told_in_words():
    assert drawn(slowed(1.10)) == ()
    assert "is slower than at base: +10.0 %" in markdown.render(slowed(1.10), Style())


def test_a_ratio_without_an_interval_is_told_in_words():
    report = slowed(1.10, 1.20)
    unknown = {case: latency(replace(f.ratios[0], low=0.0, high=math.inf)) for case, f in report.run.latency.items()}

    assert drawn(replace(report, run=replace(report.run, latency=unknown))) == ()


def test_the_comment_shows_bars_in_place_of_sentences():
    text = markdown.render(slowed(1.10, 1.20, 1.30), Style())

    folded = text[text.index("<details>") :]
    assert folded.count("●") == 4
    assert "is slower than at base" not in folded[: folded.index("</details>")]
