"""Recorded launches drawn anew: what stands in the recording stands in the replay, good and bad."""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from benchmarks.rates.counted import Rate, at_least
from benchmarks.rates.noise import MEASURED, log_ratios
from benchmarks.rates.peers import PEERS
from benchmarks.rates.recordings import read_all
from benchmarks.rates.replay import Replay, pools
from benchmarks.rates.replayed import Replayed, disjoint
from benchmarks.rates.reruns import attempts, shares
from tests.unit.numbers.starts import start

DATA = Path(__file__).resolve().parents[3] / "benchmarks" / "data"


def replayed(*starts, runs=60, samples=10):
    return Replayed(starts, np.random.default_rng(1), runs, samples)


def cells(text, row):
    """Of the first table line that begins with `row`."""
    line = next(line for line in text.splitlines() if line.startswith(row))
    return [cell.strip() for cell in line[len(row) :].split("  ") if cell.strip()]


def test_a_launchs_number_is_the_median_over_its_pairs():
    made = start(kernels=1, launches=2)
    ns = made.launches[0].kernels["k0"].ns

    (pool,) = pools([made])

    wanted = np.median(np.log(np.array(ns["head"]) / np.array(ns["base"])))
    assert pool.clean.logs[0] == pytest.approx(wanted)
    assert pool.seconds == 1.0


def test_a_launch_whose_clocks_were_lowered_in_need_is_left_out_and_a_power_cap_is_not():
    hot = dict.fromkeys(("head", "base"), "hardware-thermal")
    one_arm = {"head": "hardware-thermal"}
    capped = dict.fromkeys(("head", "base"), "power-cap")

    (pool,) = pools([start(kernels=1, launches=10, throttle={2: hot, 3: one_arm, 4: capped})])

    assert len(pool.clean) == 9


def test_clean_launches_block_nothing_and_slowed_ones_are_blocked():
    found = replayed(start("one"), start("two two"))

    text = found.text()

    clean, *scaled, recorded, passed, open_, launches, seconds = cells(text, "kgate, nothing stored")
    assert clean.startswith("0 of 60")
    assert scaled[0] == "0.00 %"
    assert scaled[-1] == recorded == "100.00 %"
    assert passed.startswith("0 of ")
    assert open_ == "0.00 %"
    assert launches.startswith("8.0, 16")
    assert seconds.startswith("8.0, 16")
    assert found.failed() == []


def test_a_lasting_difference_between_arms_of_the_same_code_shows():
    found = replayed(start(bias=0.06))

    text = found.text()

    assert cells(text, "kgate, nothing stored")[0].startswith("60 of 60")
    assert any("clean runs blocked 60 of 60" in words for words in found.failed())


def test_a_slowdown_that_noise_hides_is_told_as_a_promise_that_does_not_hold():
    found = replayed(start(spread=0.05, launches=200))

    found.text()

    assert any("of what was slowed by 5 % or more, blocked" in words for words in found.failed())


def test_a_stored_number_is_another_starts():
    slow, fast = start("slow", clock=1.2), start("faster")
    drawer = Replay(pools([slow, fast]))
    of_slow = np.zeros((3, 1), int)

    stored = drawer.stored(np.random.default_rng(0), of_slow)

    assert np.exp(np.median(stored)) == pytest.approx(100_000, rel=0.01)


def test_where_nothing_is_drawn_twice_each_launch_counts_once():
    found = pools([start(kernels=2, launches=40)])

    runs = disjoint([pool.clean for pool in found])

    assert runs.shape == (4, 16)
    assert len(np.unique(runs)) == 64


@pytest.mark.parametrize(
    ("name", "slower", "flagged"),
    [
        ("TileLang's bot, two below 0.90×", 1.11, False),
        ("TileLang's bot, two below 0.90×", 1.12, True),
        ("TileGym, −5 % throughput", 1.05, False),
        ("TileGym, −5 % throughput", 1.053, True),
        ("±5 % of a stored median", 1.049, False),
        ("±5 % of a stored median", 1.051, True),
        ("github-action-benchmark 200 %", 1.99, False),
        ("github-action-benchmark 200 %", 2.01, True),
    ],
)
def test_a_rule_in_use_flags_what_its_source_says(name, slower, flagged):
    base = np.log(np.full((1, 5), 1000.0))

    assert PEERS[name].rule(base + np.log(slower), base, base).tolist() == [flagged]


def test_a_rule_that_needs_two_cases_blocks_no_run_for_one():
    rule = PEERS["TileLang's bot, two below 0.90×"]
    clean = np.array([[False, False, False], [False, True, False]])

    assert rule.blocked(clean).tolist() == [False, False]
    slowed = np.ones_like(clean)
    assert rule.blocked_for(slowed, clean).tolist() == [[False, False, False], [True, False, True]]


def test_a_rate_near_one_is_written_with_what_its_misses_bound():
    assert at_least(Rate(hits=299, of=299)) == "299 of 299 (≥ 99 %)"  # 0.05 ** (1 / 299) is 0.9900


def test_ten_attempts_more_spend_a_third_of_the_rate_besides():
    assert list(shares().values())[:3] == [0.01 / 3] * 3
    assert sum(shares().values()) == pytest.approx(0.01 * 4 / 3, rel=1e-3)


@pytest.mark.parametrize("noise", MEASURED, ids=lambda noise: noise.name)
def test_an_unlucky_clean_run_tried_ten_times_more_is_not_blocked_and_a_slow_one_does_not_pass(noise):
    generator = np.random.default_rng(5)

    found = attempts(lambda shape: log_ratios(noise, generator, shape), 30)

    assert (found.clean.hits, found.unlucky.hits) == (0, 0)
    assert found.unlucky_green >= 28
    assert found.five_passed.hits <= scipy.stats.binom.ppf(1 - 1e-4, found.five_passed.of, 0.01 * 4 / 3)


@pytest.mark.skipif(not list(DATA.glob("*.gz")), reason="nothing is recorded yet")
def test_the_recorded_launches_keep_the_promises_in_a_sample():
    found = Replayed(read_all(DATA), np.random.default_rng(0), runs=200, samples=10)

    found.text()

    assert not [words for words in found.failed() if "clean" in words]
