"""What somebody has accepted up to a bound and a day warns, and blocks again beyond either."""

from dataclasses import replace

import pytest

from kgate.model import Accepted, Decision, Level, Place, Terms
from tests.unit.builders import judged, latency, ratio, run_of

ENTRY = Accepted(
    case="gemm/small",
    rule="slower-than-base",
    bound=0.08,
    reason="exact at last",
    until="2026-10-07",  # the day of the builders' judgements
    place=Place(path="kgate.yaml", line=40),
)


def found(slower: float, *entries: Accepted, rival: str = "base") -> list[tuple[str, Level, bool]]:
    other = "fallback" if rival == "base" else "base"
    decided = ratio(below=rival, median=slower, decision=Decision.SLOWER)
    run = run_of(on_gpu=True)
    run = replace(
        run, latency={c: latency(decided, ratio(below=other)) for c in run.cases}, terms=Terms(accepted=entries)
    )
    policy = {"slower-than-base": Level.FAIL, "slower-than-fallback": Level.FAIL}
    return [(f.rule, f.level, "accepted" in f.evidence) for f in judged(run, policy) if f.rule.startswith("slower")]


def test_within_its_bound_it_warns_and_names_the_entry() -> None:
    assert found(1.06) == [("slower-than-base", Level.FAIL, False)]
    assert found(1.06, ENTRY) == [("slower-than-base", Level.WARN, True)]


@pytest.mark.parametrize(
    "entry",
    [
        replace(ENTRY, bound=0.05),
        replace(ENTRY, until="2026-10-06"),
        replace(ENTRY, until="soon"),
        replace(ENTRY, case="gemm/large"),
        replace(ENTRY, rule="slower-than-fallback"),
    ],
    ids=["further than its bound", "after its day", "no day", "another case", "another rule"],
)
def test_beyond_what_was_accepted_it_blocks(entry: Accepted) -> None:
    assert found(1.06, entry) == [("slower-than-base", Level.FAIL, False)]


def test_each_rule_is_held_to_its_own_rival() -> None:
    entry = replace(ENTRY, rule="slower-than-fallback")

    assert found(1.06, entry, rival="fallback") == [("slower-than-fallback", Level.WARN, True)]
    assert found(1.09, entry, rival="fallback") == [("slower-than-fallback", Level.FAIL, False)]
