"""Intervals against SciPy, decisions against the truth they were drawn from."""

import math
import random

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import WorkerError
from kgate.model import Decision, LaunchTiming
from kgate.stats import POLICY, against, datum, decide, latency, ratio, t_quantile, t_two_sided, undecided


def launch(number, method="cpu-monotonic", **samples_ns):
    named = {arm: tuple(values) for arm, values in samples_ns.items()}
    return LaunchTiming(launch=number, samples_ns=named, call_ns={}, method=method)


def drawn(generator, true_log, spread, count):
    return [generator.gauss(true_log, spread) for _ in range(count)]


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 15, 31, 64, 301])
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.975, 0.99, 0.9999, 1 - 1e-7])
def test_t_quantiles_agree_with_scipy(freedom, probability):
    wanted = scipy.stats.t.ppf(probability, freedom)

    assert t_quantile(probability, freedom) == pytest.approx(wanted, rel=1e-7, abs=1e-12)


@given(t=st.floats(0, 1e6), freedom=st.integers(1, 200))
def test_the_t_distribution_agrees_with_scipy(t, freedom):
    wanted = 1 - 2 * scipy.stats.t.sf(t, freedom)

    assert t_two_sided(t, freedom) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("probability", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_a_t_quantile_that_is_none_is_refused(probability, freedom):
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(probability, freedom)


@given(st.lists(st.floats(-0.5, 0.5), min_size=2, max_size=40).filter(lambda logs: max(logs) - min(logs) > 1e-6))
def test_the_interval_shown_is_scipys(logs):
    launches = [launch(i, head=[math.exp(x)], base=[1.0]) for i, x in enumerate(logs)]

    found = ratio(launches, "head", "base", 1)

    mean, error = sum(logs) / len(logs), scipy.stats.sem(logs)
    low, high = scipy.stats.t.interval(0.95, len(logs) - 1, loc=mean, scale=error)
    assert found is not None
    assert found.spread == pytest.approx(error * math.sqrt(len(logs)), rel=1e-6)
    assert math.log(found.median) == pytest.approx(mean, abs=1e-12)
    assert math.log(found.low) == pytest.approx(low, rel=1e-6, abs=1e-12)
    assert math.log(found.high) == pytest.approx(high, rel=1e-6, abs=1e-12)


def test_without_spread_the_interval_is_a_point():
    found = ratio([launch(i, head=[2.0], base=[1.0]) for i in range(3)], "head", "base", 1)

    assert found is not None
    assert (found.low, found.median, found.high, found.spread) == (2.0, 2.0, 2.0, 0.0)


def test_a_launch_counts_once_by_the_median_of_its_pairs():
    assert datum([110.0, 400.0, 90.0], [100.0, 100.0, 100.0]) == pytest.approx(math.log(1.1))


def test_pairs_are_made_in_the_order_taken():
    drifting = [100.0, 200.0, 300.0]

    assert datum([x * 1.05 for x in drifting], drifting) == pytest.approx(math.log(1.05))


def test_samples_without_a_partner_are_left_out():
    assert datum([200.0, 1.0], [100.0]) == pytest.approx(math.log(2))


def test_one_launch_bounds_nothing():
    found = ratio([launch(0, head=[2.0], base=[1.0])], "head", "base", 1)

    assert found is not None
    assert (found.low, found.high) == (0.0, math.inf)
    assert found.launches == 1
    assert found.decision is Decision.INCONCLUSIVE


def test_arms_that_never_met_have_no_ratio():
    assert ratio([launch(0, head=[2.0]), launch(1, base=[1.0])], "head", "base", 1) is None


@pytest.mark.parametrize(
    ("logs", "decision"),
    [
        ([math.log(1.10)] * 3, Decision.SLOWER),
        ([0.0] * 3, Decision.NO_SLOWER),
        ([math.log(1.04)] * 3, Decision.SLOWER),
        ([math.log(1.10)] * 2, Decision.INCONCLUSIVE),
        ([], Decision.INCONCLUSIVE),
        ([-0.3, 0.0, 0.4], Decision.INCONCLUSIVE),
        ([-1.0, -1.1, -0.9], Decision.NO_SLOWER),
    ],
)
def test_clear_cases_are_decided_and_unclear_ones_are_not(logs, decision):
    assert decide(logs, 1) is decision


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_log_ratio_that_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="must be finite"):
        decide([0.0, 0.0, bad], 1)


def test_a_run_plans_at_least_one_test_and_one_look():
    with pytest.raises(ValueError, match="0 tests planned"):
        decide([0.0] * 3, 0)
    with pytest.raises(ValueError, match="0 looks at each"):
        decide([0.0] * 3, 1, looks=0)


def test_a_clean_change_is_rarely_called_slower_even_at_the_edge_of_what_is_allowed():
    generator = random.Random(0)
    runs = 4000

    blocks = sum(decide(drawn(generator, math.log(1.03), 0.01, 8), 1) is Decision.SLOWER for _ in range(runs))

    assert blocks <= scipy.stats.binom.ppf(0.9999, runs, POLICY.error_rate)


def test_a_run_of_a_hundred_clean_cases_is_rarely_blocked():
    generator = random.Random(1)
    runs, cases = 200, 100

    blocked = sum(
        any(decide(drawn(generator, math.log(1.03), 0.01, 8), cases) is Decision.SLOWER for _ in range(cases))
        for _ in range(runs)
    )

    assert blocked <= scipy.stats.binom.ppf(0.9999, runs, POLICY.error_rate)


def test_three_looks_together_spend_no_more_than_one_would():
    generator = random.Random(4)
    runs = 4000

    def blocked() -> bool:
        logs = drawn(generator, math.log(1.03), 0.01, 32)
        return any(decide(logs[:n], 1, looks=3) is Decision.SLOWER for n in (8, 16, 32))

    assert sum(blocked() for _ in range(runs)) <= scipy.stats.binom.ppf(0.9999, runs, POLICY.error_rate)


@given(logs=st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=20), tests=st.integers(1, 50), looks=st.integers(1, 4))
def test_looks_share_the_error_rate_as_tests_do(logs, tests, looks):
    assert decide(logs, tests, looks) is decide(logs, tests * looks)


def paying(*factors, **planned):
    launches = [launch(i, head=[x], base=[1.0], fallback=[1.0]) for i, x in enumerate(factors)]
    return latency(launches, **{"tests": 1, **planned})


@pytest.mark.parametrize(
    ("factors", "decision"),
    [
        ([0.50, 0.50, 0.50], Decision.NO_SLOWER),
        ([0.90, 0.90, 0.90], Decision.SLOWER),
        ([0.90, 0.90], Decision.INCONCLUSIVE),
        ([0.80, 0.86, 0.92], Decision.INCONCLUSIVE),
    ],
)
def test_a_wanted_speed_up_of_a_fifth_is_decided_over_launches(factors, decision):
    found = paying(*factors).ratio("head", "fallback")

    assert found is not None
    assert against(found, 1.2) is decision


def test_without_a_wanted_speed_up_the_ratios_own_decision_stands():
    found = paying(1.1, 1.1, 1.1).ratio("head", "fallback")

    assert found is not None
    assert against(found, None) is against(found, 1.0) is Decision.SLOWER


def test_a_wanted_speed_up_is_decided_at_the_level_of_the_run():
    logs = [math.log(0.87 + x) for x in (0.0, 0.01, 0.02, 0.005)]
    alone, among = (paying(*map(math.exp, logs), tests=n, looks=3).ratio("head", "fallback") for n in (1, 1000))

    assert alone is not None
    assert among is not None
    shifted = [x + math.log(1.2) for x in logs]
    assert against(alone, 1.2) is decide(shifted, 1, 3)
    assert against(among, 1.2) is decide(shifted, 1000, 3) is Decision.INCONCLUSIVE


def test_a_case_is_open_while_base_or_the_wanted_speed_up_is_undecided():
    assert not undecided(paying(0.5, 0.5, 0.5), 1.2)
    assert undecided(paying(0.80, 0.86, 0.92), 1.2)
    assert not undecided(paying(0.80, 0.81, 0.80), None)
    assert undecided(paying(1.0, 1.1, 1.0), None)


def test_a_slowdown_of_five_percent_is_rarely_waved_through():
    generator = random.Random(2)
    runs = 4000

    waved = sum(decide(drawn(generator, math.log(1.05), 0.01, 8), 1) is Decision.NO_SLOWER for _ in range(runs))

    assert waved <= scipy.stats.binom.ppf(0.9999, runs, POLICY.error_rate)


def test_a_quiet_slowdown_of_ten_percent_is_found_among_a_hundred_tests():
    generator = random.Random(3)

    found = sum(decide(drawn(generator, math.log(1.10), 0.003, 8), 100) is Decision.SLOWER for _ in range(200))

    assert found == 200


@given(
    logs=st.lists(st.floats(-1, 1), min_size=3, max_size=20),
    fewer=st.integers(1, 50),
    more=st.integers(0, 500),
)
def test_more_planned_tests_never_turn_doubt_into_a_decision(logs, fewer, more):
    strict = decide(logs, fewer + more)

    assert strict in (decide(logs, fewer), Decision.INCONCLUSIVE)


@given(logs=st.lists(st.floats(-1, 1), min_size=3, max_size=20), shift=st.floats(0, 1))
def test_a_slower_change_is_never_judged_more_kindly(logs, shift):
    order = [Decision.NO_SLOWER, Decision.INCONCLUSIVE, Decision.SLOWER]

    before, after = decide(logs, 3), decide([x + shift for x in logs], 3)

    assert order.index(after) >= order.index(before)


def test_all_of_a_case_is_put_together():
    launches = [
        launch(0, head=[110.0, 112.0, 111.0], base=[100.0] * 3, fallback=[220.0, 224.0, 222.0]),
        launch(1, head=[109.0] * 3, base=[100.0] * 3, fallback=[218.0] * 3),
        launch(2, head=[111.0] * 3, fallback=[222.0] * 3),
    ]

    found = latency(launches, 1)

    assert found.median_ns == {"head": 111.0, "base": 100.0, "fallback": 222.0}
    assert [(r.above, r.below, r.launches) for r in found.ratios] == [
        ("head", "base", 2),
        ("head", "fallback", 3),
        ("base", "fallback", 2),
    ]
    pays = found.ratio("head", "fallback")
    assert pays is not None
    assert pays.median == pytest.approx(0.5)
    assert pays.decision is Decision.NO_SLOWER
    assert found.method == "cpu-monotonic"


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_time_that_is_none_is_refused_with_launch_and_arm(bad):
    with pytest.raises(WorkerError, match=r"launch 4, arm head: .* ns is no time"):
        latency([launch(4, head=[1.0, bad], base=[1.0, 1.0])], 1)
    with pytest.raises(ValueError, match="above 0 ns"):
        datum([1.0, bad], [1.0, 1.0])


def test_times_of_different_methods_are_refused():
    with pytest.raises(WorkerError, match="launch 1 was timed by cuda-events-flush, an earlier one by cpu-monotonic"):
        latency([launch(0, head=[1.0]), launch(1, "cuda-events-flush", head=[1.0])], 1)


def test_absurd_times_do_not_break_the_arithmetic():
    found = latency([launch(0, head=[1e308], base=[5e-324])], 1)

    assert found.ratios[0].median == math.inf


def test_no_launches_are_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="no launches"):
        latency([], 1)
