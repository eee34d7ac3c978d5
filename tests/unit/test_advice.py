"""What to do next: a sentence for every way to fail, the same in findings and in the event stream."""

import typing
from itertools import product

import pytest

from kgate import advice
from kgate.model import FALLBACK, HEAD, SWITCH_ON, of_base
from kgate.protocol import RUNGS, Reason
from kgate.rules import judge
from kgate.rules.does_not_run import interpreter
from tests.unit.builders import case, failure, run_of, with_outcomes

REASONS: tuple[Reason, ...] = typing.get_args(Reason)
FUNCTION = "acme.gemm:fused"


@pytest.mark.parametrize(("rung", "reason"), list(product(RUNGS, REASONS)))
def test_every_failed_rung_has_one_finished_sentence(rung, reason) -> None:
    said = advice.next_step("gemm/small@cpu", "head", rung, reason, FUNCTION)

    assert said[0].isupper()
    assert said.endswith(".")
    assert not {"{", "}", "\n"} & set(said)


def test_every_reason_of_the_protocol_has_its_own_advice() -> None:
    assert set(advice.REASONS) == set(REASONS)


@pytest.mark.parametrize("reason", [r for r in REASONS if r not in ("narrowed", "wrong-type")])
def test_a_finding_and_the_stream_say_the_same_of_a_failure(reason: Reason) -> None:
    run = with_outcomes(run_of(), (HEAD, failure(reason)))

    found = next(f for f in judge(run, {}) if f.kernel == "gemm")
    step = advice.next_step(case().name, "head", "run", reason, run.kernels["gemm"].custom)

    said = found.advice.replace(interpreter(run), advice.WORKERS_PYTHON)
    assert step.startswith(said.removesuffix("."))


def test_a_wrong_answer_is_told_with_the_place_of_its_errors_and_the_command_that_runs_it_alone() -> None:
    where = "first at [1024], all in the last 1 of 1025 elements"

    said = advice.next_step("add/tail@cpu", "head", "correctness", "", FUNCTION, where=where)

    assert said == (
        f"Compare {FUNCTION} with the reference; tails, masks and accumulation come first; its errors: {where}; "
        "`kgate repro add/tail@cpu` runs it alone and keeps its tensors."
    )


def test_a_finding_speaks_of_the_index_above_it_and_the_stream_does_not() -> None:
    assert "the index above" in advice.rung_advice("correctness", FUNCTION)
    assert "above" not in advice.next_step("a/b@cpu", "head", "correctness", "", FUNCTION)


@pytest.mark.parametrize(
    ("arm", "command"),
    [
        (HEAD, "`kgate repro 'sweep/M=1,K=2 x@cpu'` "),
        (FALLBACK, "`kgate repro 'sweep/M=1,K=2 x@cpu' --arm fallback` "),
        (of_base(HEAD), "`kgate repro 'sweep/M=1,K=2 x@cpu' --arm base` "),
    ],
)
def test_the_command_names_the_arm_and_can_be_pasted(arm, command: str) -> None:
    assert command in advice.next_step("sweep/M=1,K=2 x@cpu", arm.name, "run", "raised", FUNCTION)


def test_a_manifest_that_is_not_found_without_its_name_is_named() -> None:
    said = advice.next_step("a/b@cpu", "base", "run", "raised", FUNCTION, manifest="libs/my norm/kgate.yaml")

    assert "`kgate repro a/b@cpu --manifest 'libs/my norm/kgate.yaml' --arm base` shows" in said


@pytest.mark.parametrize("arm", [SWITCH_ON, of_base(FALLBACK)])
def test_an_arm_that_cannot_be_run_alone_is_told_without_a_command(arm) -> None:
    assert "kgate repro" not in advice.next_step("a/b@cpu", arm.name, "run", "raised", FUNCTION)


def test_a_reference_that_gives_no_answer_is_not_called_a_kernel() -> None:
    said = advice.next_step("a/b@cpu", "reference", "run", "raised", "acme.gemm:eager")

    assert said.startswith("Name under `reference:` a plain float64 function that answers this workload; ")


def test_what_is_missing_here_is_installed_and_not_run_again() -> None:
    assert "kgate repro" not in advice.next_step("a/b@cpu", "head", "environment", "unavailable", FUNCTION)
