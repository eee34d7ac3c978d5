"""Counted rates and their bounds."""

import pytest
import scipy.stats

from kgate.replay import Rate


@pytest.mark.parametrize(("hits", "of"), [(0, 1), (0, 200), (1, 40), (17, 400), (399, 400), (5, 20_000)])
def test_the_bound_is_clopper_and_pearsons(hits, of):
    assert Rate(hits=hits, of=of).bound == pytest.approx(scipy.stats.beta.ppf(0.95, hits + 1, of - hits), rel=1e-9)


def test_of_nothing_and_of_hits_alone_nothing_is_ruled_out():
    assert (Rate(hits=0, of=0).bound, Rate(hits=3, of=3).bound) == (1.0, 1.0)


def test_a_rate_is_written_with_its_count_and_bound():
    assert str(Rate(hits=0, of=600)) == "0 of 600 (≤ 0.5 %)"
