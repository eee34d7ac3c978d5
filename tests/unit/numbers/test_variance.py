"""Components of variance against a published analysis, and on values whose parts are known."""

import numpy as np
import pytest

from kgate.variance import components

# Wing lengths of mosquitoes: 3 cages, 4 females in each, 2 measurements of each. Sokal and Rohlf, Biometry, box 10.1:
# mean squares 332.8384, 191.1894 and 1.3017; components 1.30, 94.94 and 17.71 (1.1, 83.3 and 15.5 %); females differ
# (F = 146.88), cages do not (F = 1.74, p > 0.05).
WINGS = [
    [[58.5, 59.5], [77.8, 80.9], [84.0, 83.6], [70.1, 68.3]],
    [[69.8, 69.8], [56.0, 54.5], [50.7, 49.3], [63.8, 65.8]],
    [[56.6, 57.5], [77.8, 79.2], [69.9, 69.2], [62.1, 64.5]],
]


def laid_out(nested):
    rows = [(v, (i,), (i, j)) for i, cage in enumerate(nested) for j, female in enumerate(cage) for v in female]
    values, cages, females = zip(*rows, strict=True)
    return values, {"cage": cages, "female": females}


def test_the_published_components_come_out():
    cage, female, single = components(*laid_out(WINGS))

    assert (cage.groups, female.groups, single.groups) == (3, 12, 24)
    assert cage.variance == pytest.approx(17.71, abs=0.01)
    assert female.variance == pytest.approx(94.94, abs=0.01)
    assert single.variance == pytest.approx(1.3017, abs=0.0001)
    assert cage.p == pytest.approx(0.23, abs=0.03)
    assert female.p < 1e-8


def test_unequal_numbers_give_the_same_on_average():
    draw = np.random.default_rng(5)
    found = []
    for _ in range(400):
        rows = []
        for day, starts in enumerate([(8, 3), (5, 8, 2), (4,), (7, 7, 7)]):
            shift = draw.normal(0, 3)
            for start, launches in enumerate(starts):
                own = shift + draw.normal(0, 2)
                rows += [(own + draw.normal(0, 1), (day,), (day, start)) for _ in range(launches)]
        values, days, starts = zip(*rows, strict=True)
        found.append([c.variance for c in components(values, {"day": days, "start": starts})])

    # Cut off at 0, which lifts the mean of the outermost a little.
    assert np.mean(found, axis=0) == pytest.approx([9, 4, 1], rel=0.2)


def test_a_level_of_one_group_or_of_one_value_a_group_cannot_be_told_apart():
    values = [1.0, 2.0, 4.0, 3.0]

    day, start, single = components(values, {"day": ["a"] * 4, "start": [("a", n) for n in range(4)]})

    assert (day.variance, start.variance) == (None, None)
    assert single.variance == pytest.approx(np.var(values, ddof=1))


def test_levels_that_do_not_differ_have_nothing_and_never_less():
    values = [0.0, 2.0, 0.0, 2.0]

    start, single = components(values, {"start": ["a", "a", "b", "b"]})

    assert start.variance == 0.0
    assert single.variance == pytest.approx(2.0)
