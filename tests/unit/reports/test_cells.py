"""One cell of the table: how a ratio and an error are written."""

import math
from dataclasses import replace

import pytest

from kgate.model import HEAD
from kgate.reports._cells import rows, versus
from tests.unit.builders import metric, ratio, report_of, right, run_of, with_comparisons


@pytest.mark.parametrize(
    ("median", "shown"),
    [
        (1.177, "+17.7 ±1.2 %"),
        (0.53, "-47.0 ±0.5 %"),
        (2.0, "+100.0 ±2.0 %"),
        (0.5, "-50.0 ±0.5 %"),
        (14.6, "14.6× slower"),
        (1 / 2.3, "2.3× faster"),
        (1234.0, "1.23e+03× slower"),
        (math.inf, "inf× slower"),
    ],
)
def test_a_ratio_says_its_direction(median, shown):
    assert versus(ratio(median=median)) == shown


def test_a_ratio_of_one_launch_has_no_interval():
    alone = replace(ratio(median=1.047), low=0.0, high=math.inf, launches=1)

    assert versus(alone) == "+4.7 %"


def test_a_ratio_that_a_float_cannot_hold_is_shown_and_breaks_nothing():
    assert versus(replace(ratio(), median=0.0, low=0.0, high=0.0)) == "inf× faster"


def test_a_pair_that_was_not_timed_has_a_dash():
    assert versus(None) == "–"


@pytest.mark.parametrize(("error", "shown"), [(0.0, "0"), (2e-6, "2e-06"), (0.987, "0.987"), (math.inf, "inf")])
def test_an_error_is_short(error, shown):
    run = with_comparisons(run_of(), (HEAD, right(metrics={"row_error": metric("row_error", error)})))

    (row,) = rows(report_of(run), str)

    assert row.cells[4] == shown
