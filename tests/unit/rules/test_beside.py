"""Beside the declared workloads a wrong number is a fault and a refusal is none; nobody has to do what no one can."""

from dataclasses import replace

import pytest

from kgate import rules
from kgate.model import BASE, FALLBACK, HEAD, SWITCH_ON, Arm, Case, Comparison, Failure, Finding, Run, Variant, of_base
from tests.unit.builders import answer, case, failure, kernel, right, run_of, with_comparisons, workload, wrong


def variant(change: str, kind: str = "K") -> Variant:
    value = change.rpartition(" ")[2]
    symbols = {"K": int(value)} if value.isdigit() else {"K": 64}
    name = f"small~{change.replace(' ', '')}"
    return Variant(of=case(), kind=kind, change=change, workload=replace(workload(), name=name, symbols=symbols))


def asked(answers: dict[str, tuple[Comparison, ...] | Failure], **more: tuple[Comparison, ...] | Failure) -> Run:
    """A green run, with what head's dispatch answers to each change; `more` by arm: "fallback", "base"."""
    run = run_of(kernel())
    made = {replace(case(), workload=(v := variant(change)).workload.name): v for change in answers}
    run = replace(run, variants=made)
    arms = {"fallback": FALLBACK, "base": of_base(SWITCH_ON)}
    for (at, asked_for), found in zip(made.items(), answers.values(), strict=True):
        run = told(run, SWITCH_ON, at, found)
        run = told(run, FALLBACK, at, more.get("fallback", right()))
        if "base" in more:
            run = told(run, arms["base"], at, more["base"])
        del asked_for
    return run


def told(run: Run, arm: Arm, at: Case, found: tuple[Comparison, ...] | Failure) -> Run:
    if isinstance(found, Failure):
        return replace(run, outcomes={**run.outcomes, (arm, at): found})
    return replace(
        run,
        outcomes={**run.outcomes, (arm, at): answer()},
        comparisons={**run.comparisons, (arm, at): found},
    )


def found_in(run: Run) -> list[Finding]:
    return [f for f in rules.judge(run, {}) if f.rule == "wrong-result"]


def test_a_wrong_number_beside_the_workloads_blocks_with_its_pattern() -> None:
    run = asked({"K = 65": wrong(), "K = 72": wrong(), "K = 0": right(), "K = 48": right(), "K = 112": right()})

    (found,) = found_in(run)

    assert found.blocks
    assert found.name == "gemm~K"
    assert "acme.ops:gemm, asked K = 65 in place of small's and 1 more of 5 tried" in found.sentence
    assert found.evidence["pattern"] == "every K tried that is no multiple of 16"
    assert found.evidence["as a workload"] == "found: {K: 65, source: found by kgate}"


def test_sizes_that_share_a_residue_are_said_to() -> None:
    run = asked({"K = 24": wrong(), "K = 40": wrong(), "K = 17": right(), "K = 64": right()})

    assert found_in(run)[0].evidence["pattern"] == "K mod 16 = 8"


@pytest.mark.parametrize("reason", ["raised", "unavailable", "wrong-type"])
def test_a_refusal_is_in_order(reason: str) -> None:
    assert found_in(asked({"K = 65": failure(reason)})) == []  # type: ignore[arg-type]  # a Reason


def test_a_process_that_dies_is_no_refusal() -> None:
    (found,) = found_in(asked({"K = 65": failure("died", "was ended by signal 11 (SIGSEGV)")}))

    assert "SIGSEGV" in found.sentence


@pytest.mark.parametrize("fallback", [wrong(), right(finite=False), failure()])
def test_what_the_fallback_cannot_do_is_asked_of_nobody(fallback: tuple[Comparison, ...] | Failure) -> None:
    assert found_in(asked({"K = 65": wrong()}, fallback=fallback)) == []


def test_what_base_answers_as_wrongly_does_not_block() -> None:
    (found,) = found_in(asked({"K = 65": wrong()}, base=wrong()))

    assert found.pre_existing


def test_what_base_answers_right_blocks() -> None:
    (found,) = found_in(asked({"K = 65": wrong()}, base=right()))

    assert found.blocks


def test_beside_a_workload_that_is_wrong_itself_nothing_more_is_said() -> None:
    run = with_comparisons(asked({"K = 65": wrong()}), (HEAD, wrong()), (BASE, right()))

    assert [f.name for f in found_in(run)] == ["gemm/small"]
