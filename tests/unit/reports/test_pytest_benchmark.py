"""What is written for pytest-benchmark, against pytest-benchmark itself."""

from hypothesis import given
from hypothesis import strategies as st
from pytest_benchmark.stats import Stats

from kgate.reports.pytest_benchmark import stats

TIMES = st.lists(st.floats(1e-9, 10.0), min_size=1, max_size=40)


@given(TIMES)
def test_every_statistic_is_the_one_that_pytest_benchmark_computes(seconds):
    theirs = Stats()
    for one in seconds:
        theirs.update(one)

    ours = stats(seconds)

    assert ours == theirs.as_dict()
    assert list(ours) == list(Stats.fields)
