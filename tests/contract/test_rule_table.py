"""Every rule, through the whole of its contract: texts, page, file, name, and a run on each side of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgate import rules
from kgate.errors import UsageError
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    REPEATS,
    SWITCH_OFF,
    Amendment,
    Bound,
    Control,
    Decision,
    Finding,
    Instrument,
    Inventory,
    Kernel,
    Level,
    Measurement,
    Owed,
    Ownership,
    Place,
    Run,
    Terms,
    Tolerance,
)
from tests.unit.builders import (
    answer,
    baseline,
    drill,
    drilled,
    failure,
    judged,
    kernel,
    metric,
    misshapen,
    ratio,
    right,
    run_of,
    stored_case,
    with_comparisons,
    with_latency,
    with_outcomes,
    workload,
    wrong,
)

# The names of the product's documentation; a rule is never called anything else.
NAMES = set(
    """
does-not-run contract-broken wrong-result nondeterministic no-reference check-too-loose path-not-taken fallback-missing
fallback-wrong fallback-untested fallback-raises fallback-silent fallback-latched switch-without-effect owner-missing
owner-mismatch owner-cannot-act kernel-unlisted no-workloads slower-than-base slower-than-fallback slower-than-baseline
less-exact-than-baseline unsteady grown not-tuned-here not-measured instrument-failed no-baseline gate-loosened
evidence-missing debt-expired
""".split()  # noqa: SIM905  a list that is compared with prose is best kept as prose
)

LOOSE = Bound(source="manifest", atol=1.0)

OFF = Control(name="5.00 µs", bias=1.02, dose=1.05, launches=8, dosed=8, fault="5.00 µs: the same code differs by +2 %")
CONTROLS = Instrument(controls=(OFF,), given=1.05)


def refused_once(*, again: int) -> Measurement:
    return answer(reached_fallback=1, logged=True, reached_custom_before=1, reached_custom_again=again)


def by_hand() -> Run:
    declared = workload(tolerance={"": Tolerance(atol=1.0)})
    return run_of(replace(kernel(), workloads=(declared,)))


def owned(**changes: Any) -> Run:
    return run_of(ownership={"gemm": Ownership(owners=("@acme/kernels",), **changes)})


HERE = Place(path="kgate.yaml", line=8)
LOOSER = Amendment(
    kind="loosened", what="timeout_s", kernel="gemm", before="120", after="240", owners=("@acme/kernels",), place=HERE
)


def held(*kernels: Kernel, **terms: Any) -> Run:
    return run_of(*kernels, terms=Terms(**terms))


def owing(**changes: Any) -> Run:
    """The kernel is unowned, which is known."""
    owed = Owed(rule="owner-missing", scope="kernel", name="gemm", owner="@ada", expires="2026-10-06", place=HERE)
    return held(kernel(owners=()), debt=(replace(owed, **changes),))


TRIPS: dict[str, Callable[[], Run]] = {
    "does-not-run": lambda: with_outcomes(run_of(), (HEAD, failure())),
    "contract-broken": lambda: with_comparisons(run_of(), (HEAD, misshapen())),
    "wrong-result": lambda: with_comparisons(run_of(), (HEAD, wrong())),
    "nondeterministic": lambda: with_comparisons(run_of(), (REPEATS, wrong())),
    "check-too-loose": lambda: with_comparisons(by_hand(), (HEAD, right(bound=LOOSE, accepts_zeros=True))),
    "fallback-missing": lambda: with_outcomes(run_of(), (FALLBACK, failure("function-missing")), (SWITCH_OFF, None)),
    "fallback-raises": lambda: with_outcomes(run_of(), (FALLBACK, failure())),
    "fallback-wrong": lambda: with_comparisons(run_of(), (FALLBACK, wrong())),
    "switch-without-effect": lambda: with_outcomes(run_of(), (SWITCH_OFF, answer(reached_custom=1))),
    "fallback-untested": lambda: run_of(kernel(switch=None)),
    "fallback-latched": lambda: drilled(run_of(), (drill(), refused_once(again=0))),
    "fallback-silent": lambda: drilled(run_of(), (drill(), answer(reached_fallback=1, logged=False))),
    "path-not-taken": lambda: run_of(kernel(device_kernels=("*fused*",)), on_gpu=True),
    "owner-missing": lambda: run_of(kernel(owners=())),
    "owner-cannot-act": lambda: owned(access={"@acme/kernels": False}),
    "owner-mismatch": lambda: owned(files={"acme/gemm.py": None}, codeowners="CODEOWNERS"),
    "evidence-missing": lambda: run_of(base_kernels={}),
    "gate-loosened": lambda: held(amendments=(LOOSER,)),
    "debt-expired": owing,
    "kernel-unlisted": lambda: held(kernel(workloads=()), inventory=Inventory(gone={"gemm": "acme.gemm:fused"})),
    "no-workloads": lambda: run_of(kernel(workloads=())),
    "slower-than-base": lambda: with_latency(run_of(), ratio(median=1.1, decision=Decision.SLOWER)),
    "slower-than-fallback": lambda: with_latency(
        run_of(), ratio(), ratio(below="fallback", median=1.2, decision=Decision.SLOWER)
    ),
    "slower-than-baseline": lambda: with_latency(run_of(), ratio(below="fallback", median=0.9), head_ns=13_000.0),
    "less-exact-than-baseline": lambda: run_of(baseline=baseline({"gemm/small": stored_case(error=1e-9)})),
    "unsteady": lambda: with_latency(run_of(), replace(ratio(), slow_launches=3), ratio(below="fallback", median=0.5)),
    "grown": lambda: with_outcomes(run_of(), (HEAD, answer(kernel_launches=2)), (BASE, answer(kernel_launches=1))),
    "no-reference": lambda: with_outcomes(run_of(), (REFERENCE, failure("narrowed", "aten::_softmax in float32"))),
    "not-measured": lambda: with_outcomes(run_of(), (HEAD, None)),
    "instrument-failed": lambda: run_of(instrument=replace(CONTROLS, voids=True)),
    "no-baseline": lambda: run_of(baseline=None),
}
# Runs that come near and must not trip the rule; a green run must not either.
NEAR: dict[str, Callable[[], Run]] = {
    "does-not-run": lambda: with_outcomes(run_of(), (HEAD, failure("unavailable", "no tilelang"))),
    "contract-broken": lambda: with_comparisons(run_of(), (HEAD, wrong())),
    "wrong-result": lambda: with_comparisons(run_of(), (HEAD, misshapen())),
    "nondeterministic": lambda: with_comparisons(run_of(), (REPEATS, right())),
    "check-too-loose": lambda: with_comparisons(by_hand(), (HEAD, right(bound=LOOSE))),
    "fallback-missing": lambda: with_outcomes(run_of(), (FALLBACK, failure("raised"))),
    "fallback-raises": lambda: with_outcomes(run_of(), (FALLBACK, failure("function-missing"))),
    "fallback-wrong": lambda: with_outcomes(run_of(), (FALLBACK, failure("raised"))),
    "switch-without-effect": lambda: with_outcomes(run_of(), (SWITCH_OFF, answer(reached_fallback=3))),
    "fallback-untested": lambda: with_outcomes(run_of(), (SWITCH_OFF, failure("raised"))),
    "fallback-latched": lambda: drilled(run_of(), (drill(), refused_once(again=1))),
    "fallback-silent": lambda: drilled(run_of(), (drill(), answer(reached_fallback=1, logged=True))),
    "path-not-taken": lambda: run_of(kernel(device_kernels=("gemm*",)), on_gpu=True),
    "owner-missing": lambda: run_of(kernel(owners=("ops@acme.example",))),
    "owner-cannot-act": lambda: owned(access={"@else": False}),
    "owner-mismatch": lambda: owned(files={"acme/gemm.py": None}),
    "evidence-missing": lambda: run_of(base_kernels={}, base_ran=False),
    "gate-loosened": lambda: held(amendments=(replace(LOOSER, kind="tightened"), replace(LOOSER, kind="renamed"))),
    "debt-expired": lambda: owing(expires="2026-10-07"),
    "kernel-unlisted": lambda: held(inventory=Inventory(gone={"gemm": "acme.gemm:fused"})),
    "no-workloads": lambda: run_of(kernel(workloads=("small",))),
    "slower-than-base": lambda: with_latency(run_of(), ratio(median=0.7)),
    "slower-than-fallback": lambda: with_latency(run_of(), ratio(), ratio(below="fallback", median=0.99)),
    "slower-than-baseline": lambda: with_latency(run_of(), ratio(below="fallback", median=0.9), head_ns=11_400.0),
    "less-exact-than-baseline": lambda: with_comparisons(
        run_of(), (HEAD, right(metrics={"relative_l2": metric(value=9e-7)}))
    ),
    # Told against the fallback alone, which has its own ways, while base is as unsteady.
    "unsteady": lambda: with_latency(run_of(), ratio(), replace(ratio(below="fallback", median=0.5), slow_launches=3)),
    "grown": lambda: with_outcomes(run_of(), (HEAD, answer(peak_bytes=1 << 20)), (BASE, answer(peak_bytes=1))),
    "no-reference": lambda: with_outcomes(run_of(), (FALLBACK, failure())),
    "not-measured": lambda: with_outcomes(run_of(), (HEAD, failure("died", "killed by signal 11"))),
    "instrument-failed": lambda: run_of(instrument=CONTROLS),
    "no-baseline": lambda: run_of(),
}
RULE_NAMES = [rule.NAME for rule in rules.RULES]


def of(rule: str, run: Run) -> list[Finding]:
    return [f for f in judged(run) if f.rule == rule]


@pytest.mark.parametrize("rule", rules.RULES, ids=RULE_NAMES)
def test_a_rule_has_every_text_and_a_page_of_its_own(rule):
    page = " ".join(rules.explain(rule.NAME).split())

    assert rule.NAME in NAMES
    assert all(text.strip().endswith((".", "`.")) for text in (rule.WANTS, rule.WHY, rule.SATISFY))
    assert rule.WANTS.count(". ") == 0
    assert all(text in page for text in (rule.NAME, rule.WANTS, rule.WHY, rule.SATISFY))
    assert rule.DEFAULT in (Level.WARN, Level.FAIL)
    assert rule.ON_CPU in (None, Level.NOTE)


def test_every_file_of_the_room_is_in_the_table_under_its_own_name():
    folder = Path(rules.__file__).parent

    files = {path.stem.replace("_", "-") for path in folder.glob("*.py") if not path.name.startswith("_")}

    assert files == set(RULE_NAMES)
    assert len(RULE_NAMES) == len(files)


@pytest.mark.parametrize("name", [name for name in RULE_NAMES if name != "instrument-failed"])
def test_a_rule_trips_where_it_must_and_says_what_where_and_what_to_do(name):
    findings = of(name, TRIPS[name]())

    assert len(findings) == 1
    finding = findings[0]
    assert "gemm" in finding.sentence
    assert finding.advice.endswith(".")
    assert finding.kernel == "gemm"
    assert finding.place is not None
    assert "\n" not in finding.sentence


def test_controls_that_failed_blame_the_instrument_and_no_kernel():
    (finding,) = of("instrument-failed", TRIPS["instrument-failed"]())

    assert finding.sentence.startswith("the instrument is at fault and no kernel")
    assert (finding.kernel, finding.owners, finding.undecided) == ("", ("@acme/kernels",), True)
    assert finding.evidence["control 1"] == OFF.fault


@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_rule_is_silent_on_a_run_that_comes_near(name):
    run = NEAR[name]()

    assert of(name, run) == []


def test_a_green_run_has_no_finding_at_all():
    assert judged(run_of()) == ()
    assert judged(run_of(on_gpu=True)) == ()


@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_rule_that_is_off_says_nothing(name):
    findings = judged(TRIPS[name](), {name: Level.OFF})

    assert name not in {f.rule for f in findings}


def test_an_unknown_rule_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="did you mean 'slower-than-base'"):
        rules.explain("slower-then-base")


def test_the_overview_names_every_rule_once():
    overview = rules.overview()

    assert [line.split()[0] for line in overview.splitlines()[: len(RULE_NAMES)]] == RULE_NAMES
