"""The numbers of a latency decision, in one place and without arithmetic. Factors of time: 1.05 is 5 % slower."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Margins:
    """
    A slowdown above `slower_above` is worth a block, one of `waved_under` must not be waved through; between the two a
    decision may go either way.

    `error_rate` bounds, in a run, the share of wrong *slower* among all that is called slower (Benjamini–Hochberg over
    all tests planned; without any slowdown that is the chance of a single one) and, for each case, the chance of a
    wrong *no slower*. All looks together spend it.
    """

    slower_above: float = 1.03
    waved_under: float = 1.05
    error_rate: float = 0.01
    confidence: float = 0.95  # of the two-sided interval that is shown, and one-sided of a confirmation
    least_launches: int = 3  # two launches bound no spread: t at 1 % with one degree of freedom is 32
    trimmed: float = 0.2  # of the launches, at either end; Yuen's usual share
    coarsest_step: float = 0.01  # of a time: a timer that steps in more than this blurs the ratio
    prior_freedom: int = 20  # at most: more would let the history outvote 32 launches of today
    # The prior is dropped where today's spread would be this rare or rarer under it. A lenient test on purpose: at 5 %,
    # noise that has doubled since raised wrong decisions at the margin from 0.3 to 2.1 %, at 25 % to 1.0 %.
    guard: float = 0.25
    # Above it, 32 launches of a case 5 % slower do not reach what a run of 200 tests asks to call it slower: t of 4.6
    # at 19 degrees of freedom, and 1.1 for trimming, times 2 % over the root of 32 is what lies between 3 and 5 %.
    rough_spread: float = 0.02
    confirming_launches: int = 8  # at most, and no more than the first look
    # Launches that may be left out as throttled where nobody but workers says so, who may gain by it.
    throttled_by_word: float = 0.25
    # What a run's own controls have to show, as factors of time.
    control_bias: float = 1.01
    control_dose: float = 1.05
    control_dose_seen: tuple[float, float] = (1.04, 1.06)
    unsteady_launches: int = 3  # fewer slow ones are chance: a neighbour hits 5 % of launches, 3 of 8 once in 170


MARGINS = Margins()
