"""What a run asks about latency, and what each look may spend: fixed before the first launch."""

from dataclasses import replace
from pathlib import Path

from kgate.answers import Answers
from kgate.latency import agenda, checked_only, rough_cases, shared_out
from kgate.model import HEAD, Noise
from kgate.plan import Looks, Target, looks, plan
from kgate.runner.ledger import Ledger
from kgate.stats import Prior
from tests.unit import builders
from tests.unit.test_plan import CPU, kernel, manifest, workload


def test_the_error_of_each_look_is_on_record_before_the_first_launch_and_a_further_look_gets_less(
    tmp_path: Path,
) -> None:
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        first = shared_out(ledger, Looks(at=(8, 16, 32)))
        more = shared_out(ledger, Looks(at=(64,)))

    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        assert shared_out(ledger, Looks(at=(8, 16, 32))) == first == dict.fromkeys((8, 16, 32), 0.01 / 3)
        assert shared_out(ledger, Looks(at=(64,))) == more
    assert more == {64: 0.01 / 6}


def test_every_case_and_every_kernel_of_several_is_asked_about_base_and_fallback() -> None:
    declared = manifest(
        kernel("add", workload("a", "cpu"), workload("b", "cpu")),
        replace(kernel("new", workload("w", "cpu")), min_speedup=1.2),
    )
    old = manifest(kernel("add", workload("a", "cpu")))

    todo = agenda(plan(declared, old, CPU), None, {8: 0.01}, 8, frozenset(["base"]))

    asked = [([c.workload for c in q.cases], q.below, q.wanted) for q in todo.questions]
    assert asked == [
        (["a"], "base", 1.0),
        (["a"], "fallback", 1.0),
        (["b"], "base", 1.0),
        (["b"], "fallback", 1.0),
        (["w"], "fallback", 1.2),
        (["a", "b"], "base", 1.0),
        (["a", "b"], "fallback", 1.0),
    ]


def test_what_a_baseline_knows_of_the_noise_is_the_cases_prior() -> None:
    declared = manifest(kernel("add", workload("w", "cpu")))
    noise = {"base": Noise(spread_log=0.01, freedom=23)}
    stored = builders.baseline({"add/w": replace(builders.stored_case(), noise=noise)})

    todo = agenda(plan(declared, declared, CPU), stored, {8: 0.01}, 8, frozenset(["base"]))

    assert {q.below: q.prior for q in todo.questions} == {"base": Prior.of(0.01, 20), "fallback": None}


def test_a_case_whose_launches_were_seen_to_differ_by_more_than_two_percent_gets_a_fourth_look_on_a_gpu() -> None:
    chosen = plan(manifest(kernel("add", workload("rough", "cpu"), workload("smooth", "cpu"))), None, CPU)
    noise = {
        name: {"base": Noise(spread_log=spread, freedom=23)} for name, spread in (("rough", 0.03), ("smooth", 0.01))
    }
    known = builders.baseline(
        {f"add/{name}": replace(builders.stored_case(), noise=found) for name, found in noise.items()}
    )

    rough = rough_cases(chosen, known, frozenset(["base"]))

    assert [case.workload for case in rough] == ["rough"]
    assert (
        rough_cases(chosen, known, frozenset(["fallback"])) == rough_cases(chosen, None, frozenset(["base"])) == set()
    )
    assert looks(Target(kind="cuda", name="h200"), True, bool(rough)).at == (8, 16, 32, 64)
    assert looks(Target(kind="cuda", name="h200")).at == (8, 16, 32)
    assert looks(CPU, True, True).at == (5, 10, 20)


def test_a_workload_that_production_never_sees_and_one_with_nothing_to_compute_are_not_timed() -> None:
    hot, test, empty = workload("hot", "cpu"), replace(workload("test", "cpu"), weight=0.0), workload("empty", "cpu")
    chosen = plan(manifest(kernel("add", hot, test, empty)), None, CPU)
    nothing = builders.answer()
    nothing = replace(nothing, outputs=tuple(replace(t, shape=(0, 128)) for t in nothing.outputs))
    outcomes = {(HEAD, c): nothing if c.workload == "empty" else builders.answer() for c in chosen.cases}

    untimed = checked_only(chosen, Answers(outcomes=outcomes, comparisons={}))

    assert [c.workload for c in chosen.cases if c in untimed] == ["test", "empty"]
