"""What is foretold from launches of the same code, where the truth is known since the launches are made up."""

import numpy as np
import pytest

from kgate import prediction
from kgate.prediction import Course

GPU = Course(looks=(8, 16, 32), confirming=8, tests=200)


def alone(case, course):
    return prediction.alone(case, course, runs=600)


def starts(spread, *, between=0.0, count=6, launches=8, seed=1):
    draw = np.random.default_rng(seed)
    return [list(draw.normal(0, between) + draw.normal(0, spread, launches)) for _ in range(count)]


def test_a_quiet_case_is_foretold_to_be_green_and_a_slowdown_of_five_percent_to_be_blocked():
    found = alone(starts(0.002), GPU)

    assert (found.not_green.hits, found.passed.hits) == (0, 0)
    assert found.blocked.hits == found.blocked.of
    assert found.not_green.bound < 0.005


def test_a_case_three_times_as_rough_as_the_margin_is_foretold_to_stay_open():
    found = alone(starts(0.15), GPU)

    assert found.not_green.hits > 0.3 * found.not_green.of


def test_what_is_foretold_from_few_launches_is_near_what_endless_launches_do():
    """48 launches of the spread of a rough kernel on an H200, against the same simulated from the spread itself."""
    few = alone(starts(0.01), GPU).blocked
    endless = alone(starts(0.01, count=500, seed=3), GPU).blocked

    assert few.hits / few.of == pytest.approx(endless.hits / endless.of, abs=0.06)


def test_starts_that_differ_are_drawn_whole_and_make_a_case_rough():
    apart = alone(starts(0.002, between=0.03), GPU)
    alike = alone(starts(0.002), GPU)

    assert apart.passed.hits > alike.passed.hits
    assert apart.blocked.hits < alike.blocked.hits


def test_a_lasting_difference_between_arms_of_the_same_code_is_no_noise():
    biased = [[value + 0.04 for value in start] for start in starts(0.001)]

    found = alone(biased, GPU)

    assert found.not_green.hits == pytest.approx(found.not_green.of / 2, rel=0.1)


def test_of_all_cases_together_one_that_is_not_green_is_enough():
    rough, quiet = starts(0.08), starts(0.002)

    one = prediction.together([rough], [], GPU, runs=200)
    many = prediction.together([rough, quiet, rough, rough], [], GPU, runs=200)

    assert prediction.together([quiet] * 3, [], GPU, runs=200).hits == 0
    assert many.hits > one.hits > 0


def test_controls_that_fail_once_are_measured_again_and_only_twice_count():
    half = {"same": [0.0] * 10 + [0.02] * 10, "dosed": [np.log(1.05)] * 20}

    (once,) = {float(prediction.failing([half], GPU, np.random.default_rng(2), 2000).mean())}
    found = prediction.together([], [half], GPU, runs=2000)

    assert 0.2 < once < 0.8
    assert found.hits / found.of == pytest.approx(once**2, abs=0.03)


def test_no_cases_and_no_controls_are_never_anything_but_green():
    assert prediction.together([], [], GPU).hits == 0


def test_the_same_launches_foretell_the_same():
    assert alone(starts(0.01), GPU) == alone(starts(0.01), GPU)
