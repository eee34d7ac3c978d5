"""
The promises of docs/latency.md on a sample of simulated runs, small enough for every test run and with bounds that can
fail; benchmarks/error_rates.py holds them to the whole length.
"""

import numpy as np
import pytest
import scipy.stats

from benchmarks.rates.gate import NO_SLOWER, SLOWER, history, judged
from benchmarks.rates.noise import MEASURED, log_ratios
from kgate.model import Decision
from tests.unit.numbers.times import ONE, FakeTimer, agenda

RUNS, CASES = 300, 100
CHANCE = 1e-4  # that a promise which holds exactly fails here
QUIET, USUAL, ROUGH, BURSTS = MEASURED


def drawn(noise, shape, seed):
    generator = np.random.default_rng(seed)
    logs, fresh = log_ratios(noise, generator, (*shape, 32)), log_ratios(noise, generator, (*shape, 3, 8))
    return logs, fresh, history(log_ratios(noise, generator, (*shape, 40)))


def slowed(noise, dose, *, stored, cases=3000):
    logs, fresh, prior = drawn(noise, (cases, 1), 7)
    return judged(logs + np.log1p(dose), fresh + np.log1p(dose), 2 * CASES, prior if stored else None).decision


@pytest.mark.parametrize("noise", MEASURED, ids=lambda noise: noise.name)
@pytest.mark.parametrize("stored", [True, False])
def test_clean_runs_of_a_hundred_cases_are_not_blocked(noise, stored):
    logs, fresh, prior = drawn(noise, (RUNS, CASES), 1)

    found = judged(logs, fresh, 2 * CASES, prior if stored else None)

    blocked = (found.decision == SLOWER).any(axis=1).sum()
    assert blocked <= scipy.stats.binom.ppf(1 - CHANCE, RUNS, 1 / 200)
    assert (found.decision == NO_SLOWER).mean() >= 0.99


@pytest.mark.parametrize("noise", MEASURED, ids=lambda noise: noise.name)
@pytest.mark.parametrize("stored", [True, False])
def test_a_slowdown_of_five_percent_is_blocked_and_never_waved_through(noise, stored):
    found = slowed(noise, 0.05, stored=stored)

    assert (found == NO_SLOWER).sum() <= scipy.stats.binom.ppf(1 - CHANCE, len(found), 0.01)
    assert (found == SLOWER).mean() >= 0.97


@pytest.mark.parametrize(("noise", "dose"), [(QUIET, 0.04), (USUAL, 0.0475), (ROUGH, 0.05)])
def test_the_dose_that_is_promised_to_be_blocked_is(noise, dose):
    assert (slowed(noise, dose, stored=True) == SLOWER).mean() >= 0.985


@pytest.mark.parametrize("noise", [QUIET, USUAL, ROUGH], ids=lambda noise: noise.name)
def test_a_slowdown_of_three_percent_is_rarely_blocked(noise):
    found = slowed(noise, 0.03, stored=True)

    assert (found == SLOWER).sum() <= scipy.stats.binom.ppf(1 - CHANCE, len(found), 0.01)


def test_noise_that_has_trebled_since_it_was_stored_blocks_no_clean_run():
    logs, fresh, prior = drawn(ROUGH, (RUNS, CASES), 3)

    found = judged(3 * logs, 3 * fresh, 2 * CASES, prior)

    assert (found.decision == SLOWER).any(axis=1).sum() <= scipy.stats.binom.ppf(1 - CHANCE, RUNS, 1 / 200)


AT_NIGHT = [pytest.param(dose, marks=pytest.mark.nightly) for dose in (0.035, 0.045, 0.06)]


@pytest.mark.parametrize("dose", [0.0, 0.04, *AT_NIGHT])
def test_the_simulation_decides_as_a_run_does(dose):
    """Each case alone in a run that plans a hundred tests, by the simulation and through the sequence of looks."""
    logs, fresh, _ = drawn(ROUGH, (60, 1), 11)
    logs, fresh = logs[:, 0] + np.log1p(dose), fresh[:, 0] + np.log1p(dose)
    todo = agenda([ONE], tests=100)
    (asked,) = (q for q in todo.questions if q.cases == (ONE,))

    simulated = judged(logs[:, None], fresh[:, None], todo.tests).decision[:, 0]

    looks = {8: 0, 16: 1, 32: 2}

    def ratio_of(run, number):
        if number < 1_000_000:
            return logs[run, number]
        look, launch = divmod(number - 1_000_000, 100)
        return fresh[run, looks[look], launch]

    for run, code in enumerate(simulated):

        def make(generator, number, case, run=run):
            return {"head": 50_000 * np.exp(ratio_of(run, number) + JITTER), "base": 50_000 * np.exp(JITTER)}

        decision = FakeTimer(make).follow(todo, [ONE]).ratios[asked].decision
        wanted = {SLOWER: Decision.SLOWER, NO_SLOWER: Decision.NO_SLOWER}.get(int(code), Decision.INCONCLUSIVE)
        assert decision is wanted, run


JITTER = np.linspace(-0.001, 0.001, 5)  # a clock whose steps can be seen to be fine
