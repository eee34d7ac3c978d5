"""What the stored baseline says beside a base that was measured live, and when it is too old to say much."""

from dataclasses import replace

import pytest

from kgate.model import Level
from tests.unit.builders import baseline, judged, run_of


def test_losses_that_add_up_are_a_warning_and_block_nobody_while_the_fallback_is_as_fast_as_it_was():
    crept = {"head": 11_900.0, "base": 11_800.0, "fallback": 20_000.0}
    run = run_of(on_gpu=True)
    run = replace(run, latency={c: replace(found, median_ns=crept) for c, found in run.latency.items()})

    (found,) = judged(run, {"slower-than-baseline": Level.FAIL})

    assert (found.rule, found.level) == ("slower-than-baseline", Level.WARN)
    assert "+19.0 %, 10.0 µs → 11.9 µs; many losses, this change's or earlier ones, that add up" in found.sentence
    assert found.pre_existing, "base is as slow"


@pytest.mark.parametrize(("day", "old"), [("2026-07-09", False), ("2026-07-08", True), ("some day", False)])
def test_a_baseline_of_a_quarter_ago_is_old(day, old):
    findings = judged(run_of(baseline=baseline(date=day), on_gpu=True))

    assert [f.sentence for f in findings] == (
        ["ci/kgate/cpu.json was recorded 91 days ago, on 2026-07-08"] if old else []
    )
    assert [f.level for f in findings] == ([Level.WARN] if old else [])
