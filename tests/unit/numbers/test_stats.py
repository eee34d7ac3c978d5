"""Estimates, tests and error control against SciPy; what one launch says."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from kgate.margins import MARGINS
from kgate.stats import (
    Prior,
    datum,
    f_upper,
    moderated,
    p_above,
    rejected,
    step_ns,
    t_quantile,
    t_two_sided,
    t_upper,
    trimmed,
    upper,
)

LOGS = st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=64).filter(lambda logs: np.std(sorted(logs)[1:-1]) > 1e-4)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 15, 31, 64, 301])
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.975, 0.99, 0.9999, 1 - 1e-7])
def test_t_quantiles_agree_with_scipy(freedom, probability):
    wanted = scipy.stats.t.ppf(probability, freedom)

    assert t_quantile(probability, freedom) == pytest.approx(wanted, rel=1e-7, abs=1e-12)


@given(t=st.floats(0, 1e6), freedom=st.integers(1, 200))
def test_the_t_distribution_agrees_with_scipy(t, freedom):
    # Not from scipy.stats.t, whose tails are off by 1e-9 near 0.
    wanted = scipy.special.betainc(0.5, freedom / 2, t * t / (freedom + t * t))

    assert t_two_sided(t, freedom) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize(("probability", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_a_t_quantile_that_is_none_is_refused(probability, freedom):
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(probability, freedom)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), st.integers(1, 60))
def test_tails_of_the_t_distribution_agree_with_scipy_on_arrays(values, freedom):
    found = t_upper(np.array(values), np.full(len(values), freedom))  # near 0 SciPy itself is off by 1e-9

    assert found == pytest.approx(scipy.stats.t.sf(values, freedom), abs=1e-8)


@given(f=st.floats(0, 100), above=st.integers(1, 40), below=st.integers(1, 10).map(lambda k: 2 * k))
def test_tails_of_the_f_distribution_agree_with_scipy(f, above, below):
    assert f_upper(f, above, below) == pytest.approx(scipy.stats.f.sf(f, above, below), abs=1e-10)


@given(LOGS)
def test_the_trimmed_t_is_scipys_of_one_sample_against_a_constant(logs):
    # With a second sample that does not vary, Yuen's two-sample test is one sample's.
    wanted = scipy.stats.trim_mean(logs, 0.2)
    ordered = np.sort(logs)
    cut = int(0.2 * len(logs))
    winsorised = scipy.stats.mstats.winsorize(ordered, (0.2, 0.2))
    left = len(logs) - 2 * cut
    error = math.sqrt((len(logs) - 1) * np.var(winsorised, ddof=1) / (left * (left - 1)))

    found = trimmed(np.array(logs))

    assert found.location == pytest.approx(wanted, abs=1e-12)
    assert found.error == pytest.approx(error, rel=1e-6, abs=1e-12)
    assert found.freedom == left - 1


@pytest.mark.parametrize("count", [8, 10, 16, 20, 32, 64])
@pytest.mark.filterwarnings("ignore:Precision loss")  # of the sample that does not vary
def test_yuens_test_agrees_with_scipys(count):
    logs = np.random.default_rng(count).normal(0.02, 0.01, count)

    found = trimmed(logs)

    wanted = scipy.stats.ttest_ind(logs, np.full(count, 0.01), equal_var=False, trim=0.2, alternative="greater")
    assert (found.location - 0.01) / found.error == pytest.approx(wanted.statistic, rel=1e-9)
    assert found.freedom == wanted.df
    assert p_above(found, 0.01) == pytest.approx(wanted.pvalue, rel=1e-9)


def test_the_trimmed_mean_of_a_published_example_is_the_published_one():
    # Wilcox, Introduction to Robust Estimation and Hypothesis Testing, 3.2: the self-awareness data, 20 % trimmed mean
    # 282.7, and its standard error 56.1 by Tukey and McLaughlin, s_w / (0.6 √19), which gives the winsorised s_w.
    data = [77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611]

    found = trimmed(np.array(data, float))

    assert found.location == pytest.approx(282.7, abs=0.05)
    winsorised = 56.1 * 0.6 * math.sqrt(19)
    assert found.error == pytest.approx(winsorised * math.sqrt(18 / (13 * 12)), rel=2e-3)


def test_equal_values_have_no_spread_and_one_value_an_unknown_one():
    assert float(trimmed(np.full(8, 0.1)).variance) == 0.0
    assert trimmed(np.array([0.1])).variance == math.inf


def test_fewer_than_three_launches_show_nothing():
    two = trimmed(np.array([0.5, 0.5]))

    assert float(p_above(two, 0.0)) == 1.0
    assert float(upper(two, 0.01)) == math.inf


def test_the_upper_bound_is_scipys():
    logs = np.random.default_rng(1).normal(0, 0.01, 8)
    found = trimmed(logs)

    wanted = float(found.location) + scipy.stats.t.ppf(0.99, 5) * float(found.error)

    assert float(upper(found, 0.01)) == pytest.approx(wanted, rel=1e-9)


def test_a_prior_draws_the_variance_towards_the_history_as_smyth_has_it():
    logs = np.random.default_rng(2).normal(0, 0.01, 8)
    found = trimmed(logs)

    drawn = moderated(found, Prior(variance=1e-4, freedom=20))

    assert drawn.freedom == 25
    assert drawn.variance == pytest.approx((20 * 1e-4 + 5 * found.variance) / 25)


def test_a_prior_is_dropped_where_the_noise_has_grown():
    logs = np.random.default_rng(2).normal(0, 0.05, 8)
    found = trimmed(logs)

    drawn = moderated(found, Prior(variance=1e-4, freedom=20))

    assert (drawn.freedom, drawn.variance) == (found.freedom, found.variance)
    assert scipy.stats.f.sf(found.variance / 1e-4, 5, 20) < MARGINS.guard


@pytest.mark.parametrize(("freedom", "usable"), [(40, 20), (20, 20), (7, 6), (2, 2)])
def test_a_prior_counts_for_twenty_degrees_at_most_and_an_even_number(freedom, usable):
    prior = Prior.of(0.01, freedom)

    assert prior is not None
    assert prior.freedom == usable


def test_a_history_of_one_launch_or_without_spread_is_none():
    assert Prior.of(0.01, 1) is None
    assert Prior.of(0.0, 20) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.floats(0.001, 0.2))
def test_the_false_discovery_rate_is_controlled_as_scipy_does_it(p, level):
    wanted = scipy.stats.false_discovery_control(p)
    clear = np.abs(wanted - level) > 1e-9  # where rounding does not decide

    found = rejected(np.array(p), len(p), level)

    assert (found == (wanted <= level))[clear].all()


def test_tests_that_are_planned_and_not_asked_count_as_showing_nothing():
    p = np.array([0.0004, 0.02, 0.3])

    assert (rejected(p, 100, 0.05) == rejected(np.concatenate([p, np.ones(97)]), 100, 0.05)[:3]).all()
    assert rejected(p, 3, 0.05).tolist() == [True, True, False]
    assert rejected(p, 100, 0.05).tolist() == [True, False, False]


def test_arrays_of_runs_are_decided_row_by_row():
    p = np.array([[0.001, 0.5], [0.5, 0.5]])

    assert rejected(p, 2, 0.01).tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    ("samples", "step"),
    [
        ([5000.0, 6000.0, 5000.0], 1000.0),
        ([5000.0, 5000.0], 5000.0),
        ([51.0, 51.0000001, 51.5], 0.5),
        ([1.0, 1.25, 1.5], 0.25),
    ],
)
def test_a_timers_step_is_what_its_samples_show(samples, step):
    assert step_ns(samples) == pytest.approx(step)


def test_a_launch_counts_once_by_the_median_of_its_pairs():
    assert datum([110.0, 400.0, 90.0], [100.0, 100.0, 100.0]) == pytest.approx(math.log(1.1))


def test_pairs_are_made_in_the_order_taken():
    drifting = [100.0, 200.0, 300.0]

    assert datum([x * 1.05 for x in drifting], drifting) == pytest.approx(math.log(1.05))


def test_samples_without_a_partner_are_left_out():
    assert datum([200.0, 1.0], [100.0]) == pytest.approx(math.log(2))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_time_that_is_none_has_no_log_ratio(bad):
    with pytest.raises(ValueError, match="above 0 ns"):
        datum([1.0, bad], [1.0, 1.0])
    with pytest.raises(ValueError, match="a pair"):
        datum([], [1.0])
