"""The two halves of a run, without a process: what is compared with what, and what a ledger gives back."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kgate.answers import Answers, compared
from kgate.base import Base
from kgate.correctness import Bench
from kgate.ladder import rungs, strayed
from kgate.load.tree import Head
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    TIMED,
    Arm,
    Failure,
    Fingerprint,
    LaunchTiming,
    Measurement,
    Tensor,
    Tolerance,
    Tree,
    of_base,
)
from kgate.plan import plan
from kgate.protocol import Identity
from kgate.runner import records
from kgate.runner.choice import Choice
from kgate.runner.ledger import Ledger
from kgate.runner.lockstep import Launch
from kgate.runner.place import Workplace
from kgate.runner.warmup import with_compile_time
from kgate.setting import Setting
from kgate.stopwatch import Stopwatch
from tests.unit import builders
from tests.unit.test_plan import CPU, kernel, manifest, workload

DIED = Failure(rung="latency", reason="died", text="was ended by signal 11")


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    declared = manifest(kernel("add", workload("w", "cpu")))
    seen = Identity(must_match={"timer": "cpu-monotonic"}, may_drift={}, information={}, adapters={}, devices={})
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        yield Setting(
            manifest=declared,
            base=Base(commit="b", tree_hash="t", folder=None, manifest=declared),
            head=Head(commit="h", dirty=False, tree="t"),
            plan=plan(declared, declared, CPU),
            workplace=Workplace(python={}, trees={Tree.HEAD: tmp_path}, folder=tmp_path, device="cpu"),
            identity=seen,
            fingerprint=Fingerprint(must_match=seen.must_match),
            ledger=ledger,
            lock=-1,
            folder=tmp_path,
            stored=None,
            remarks=(),
        )


def tensor(folder: Path, name: str, values: np.ndarray, dtype: str = "float32") -> Tensor:
    path = folder / name
    path.write_bytes(values.tobytes())
    return Tensor(path=path, dtype=dtype, shape=values.shape, strides=(values.shape[-1], 1), device="cpu")


def answer(folder: Path, name: str, dtype: str, factor: float = 1.0) -> Measurement:
    values = np.arange(1, 7, dtype=np.float64).reshape(2, 3) * factor
    return Measurement(outputs=(tensor(folder, name, values.astype(dtype), dtype),))


def answers_of(folder: Path, **dtypes: str) -> Answers:
    """By arm name with underscores: the dtype in which that arm answers, right in its value."""
    arms: dict[str, Arm] = {"head": HEAD, "base": BASE, "fallback": FALLBACK, "base_fallback": of_base(FALLBACK)}
    case = builders.case("add", "w")
    return Answers(
        outcomes={(arms[name], case): answer(folder, name, dtype) for name, dtype in dtypes.items()}, comparisons={}
    )


def mismatch_of(setting: Setting, answers: Answers, arm: Arm, folder: Path) -> str:
    case = builders.case("add", "w")
    mine, reference = answers.outcomes[arm, case], answer(folder, "reference", "float64")
    assert isinstance(mine, Measurement)
    (found,) = compared(setting, answers, arm, case, mine.outputs, reference)
    return found.mismatch


def test_a_fallback_that_changes_its_dtype_is_held_against_bases_and_excuses_no_custom_path(
    setting: Setting, tmp_path: Path
) -> None:
    answers = answers_of(tmp_path, head="float64", base="float32", fallback="float64", base_fallback="float32")

    assert mismatch_of(setting, answers, FALLBACK, tmp_path) == "output 0 is float64, base's fallback gives float32"
    assert mismatch_of(setting, answers, BASE, tmp_path) == ""
    assert mismatch_of(setting, answers, of_base(FALLBACK), tmp_path) == ""


def test_custom_is_held_against_the_fallback_of_its_own_tree(setting: Setting, tmp_path: Path) -> None:
    answers = answers_of(tmp_path, head="float64", base="float32", fallback="float32", base_fallback="float32")

    assert mismatch_of(setting, answers, HEAD, tmp_path) == "output 0 is float64, the fallback gives float32"
    assert mismatch_of(setting, answers, BASE, tmp_path) == ""


def test_each_tree_is_held_to_its_own_tolerance_so_that_tightening_one_makes_no_old_fault(
    setting: Setting, tmp_path: Path
) -> None:
    tight = replace(workload("w", "cpu"), tolerance={"float32": Tolerance(rtol=1e-12)})
    tightened = replace(setting, plan=plan(manifest(kernel("add", tight)), setting.manifest, CPU))
    case, reference = builders.case("add", "w"), answer(tmp_path, "reference", "float64")
    answers = Answers(outcomes={}, comparisons={})
    rounded = answer(tmp_path, "rounded", "float32", 1 + 2e-7).outputs

    held = {arm: compared(tightened, answers, arm, case, rounded, reference)[0].holds for arm in (HEAD, BASE)}

    assert held == {HEAD: False, BASE: True}


@pytest.mark.parametrize(
    ("arm", "facts", "astray"),
    [
        (SWITCH_OFF, {"reached-custom": 0, "reached-fallback": 1}, False),
        (SWITCH_OFF, {"reached-custom": 1, "reached-fallback": 1}, True),
        (SWITCH_OFF, {}, True),
        (SWITCH_ON, {"reached-custom": 1, "reached-fallback": 1}, False),
        (SWITCH_ON, {"reached-custom": 0, "reached-fallback": 1}, True),
        (HEAD, {}, False),
    ],
)
def test_a_drill_strays_where_it_does_not_reach_what_its_switch_asks_for(arm, facts, astray) -> None:
    assert strayed(arm, Measurement(outputs=(), facts=facts)) is astray


def test_the_rungs_that_the_gate_decides_are_told_once_and_only_if_reached() -> None:
    case = builders.case("add", "w")
    sound = Answers(outcomes={}, comparisons={(HEAD, case): builders.right(), (FALLBACK, case): builders.wrong()})

    told = {
        e.fields["rung"]: e.fields
        for e in rungs(sound.outcomes, sound.comparisons, case, builders.kernel("add"), "a/kgate.yaml")
    }

    assert {rung: fields["ok"] for rung, fields in told.items()} == {
        "contract": True,
        "correctness": True,
        "fallback": False,
    }
    assert told["correctness"]["next"] == ""
    assert told["fallback"]["next"] == (
        "Mend acme.add:eager, or correct `reference` if it is the reference that is wrong; its errors: [3, 17]: 4.5, "
        "expected 1.0; `kgate repro add/w@cpu --manifest a/kgate.yaml --arm fallback` runs it alone and keeps its "
        "tensors."
    )


@pytest.mark.parametrize(
    ("arm", "files", "dumps", "again"),
    [
        (HEAD, "kept", True, False),
        (HEAD, "gone", True, True),
        (BASE, "none", True, True),
        (SWITCH_ON, "none", True, False),
        (HEAD, "gone", False, False),
    ],
)
def test_what_is_to_be_dumped_runs_again_where_an_earlier_run_left_no_files(
    setting: Setting, tmp_path: Path, arm: Arm, files: str, dumps: bool, again: bool
) -> None:
    case = setting.plan.cases[0]
    (tmp_path / "kept").touch()
    made = builders.compiled(files={} if files == "none" else {"ptx": tmp_path / files})
    outcome = builders.with_compiled(Measurement(outputs=()), made)
    setting.ledger.record("outcome", f"{arm.name}|{case.name}", records.outcome_to_json(outcome))
    setting.ledger.record("comparison", f"{arm.name}|{case.name}", [])

    recalled = Bench(setting=setting, emit=print, dumps=dumps).recall(arm, case)

    assert recalled is not again


def launched(**changes: object) -> Launch:
    plain: dict[str, object] = {"timings": {}, "failures": {}, "exported": {}, "start_s": {}}
    return Launch(**{**plain, **changes})  # type: ignore[arg-type]


def test_a_failure_in_the_timed_loop_is_still_known_when_the_command_is_typed_again(setting: Setting) -> None:
    case = setting.plan.cases[0]
    first, second = (Stopwatch(setting=setting, answers=Answers(outcomes={}, comparisons={}), emit=print) for _ in "ab")

    first.file(0, case, launched(failures={("head", case.name): DIED}))

    assert second.recall(0, case)
    assert second.outcomes[TIMED, case] == DIED
    assert not second.recall(1, case)


def test_why_a_launch_has_no_times_is_still_known_when_the_command_is_typed_again(setting: Setting) -> None:
    case = setting.plan.cases[0]
    first, second = (Stopwatch(setting=setting, answers=Answers(outcomes={}, comparisons={}), emit=print) for _ in "ab")

    first.file(0, case, launched(void={case.name: "head: impossible"}))

    assert second.recall(0, case)
    assert second.void == {case: "head: impossible"}


def test_a_case_is_timed_as_its_first_launch_was_also_by_a_run_that_goes_on(setting: Setting) -> None:
    case = setting.plan.cases[0]
    times = {"samples_ns": {"head": (1.0,)}, "call_ns": {"head": (1.0,)}}
    timing = LaunchTiming(launch=0, **times, method="cuda-graph-rotated", notes={"batch": 16})
    first, second = (Stopwatch(setting=setting, answers=Answers(outcomes={}, comparisons={}), emit=print) for _ in "ab")

    first.file(0, case, launched(timings={case.name: timing}))
    second.recall(0, case)

    assert second.schedule([case], None).choices == {case.name: Choice(method="cuda-graph-rotated", calls=16)}


def test_a_launch_comes_back_with_the_sample_that_waits_to_be_compared(setting: Setting, tmp_path: Path) -> None:
    case = setting.plan.cases[0]
    timing = LaunchTiming(launch=0, samples_ns={"head": (1.0, 2.0)}, call_ns={"head": (1.0, 2.0)}, method="m")
    outputs = (tensor(tmp_path, "sample", np.ones((2, 3), np.float32)),)
    first, second, third = (
        Stopwatch(setting=setting, answers=Answers(outcomes={}, comparisons={}), emit=print) for _ in "abc"
    )

    first.file(0, case, launched(timings={case.name: timing}, exported={("head", case.name): (7, outputs)}))

    assert second.recall(0, case)
    assert second.launches == {case: [timing]}
    assert [(s.seed, s.outputs) for s in second.samples] == [(7, outputs)]
    outputs[0].path.unlink()
    assert not third.recall(0, case), "its times would be believed without their proof"


def test_a_reference_has_no_place_among_what_is_told_of_the_timed_loop(setting: Setting) -> None:
    case = setting.plan.cases[0]
    watch = Stopwatch(setting=setting, answers=Answers(outcomes={(REFERENCE, case): DIED}, comparisons={}), emit=print)

    assert watch.timeable(setting.plan.cases) == []


def test_what_compiling_took_is_told_of_the_call_that_compiled() -> None:
    cached = builders.compiled(code_sha256="a" * 64)
    outcome = replace(builders.answer(), rungs_ns={"compile": 3, "run": 5}, compiled=(cached,))
    warmed = replace(outcome, rungs_ns={"compile": 900, "run": 1}, compiled=(replace(cached, compile_ns=800),))

    found = with_compile_time(outcome, warmed)

    assert isinstance(found, Measurement)
    assert found.rungs_ns == {"compile": 900, "run": 5}
    assert [kernel.compile_ns for kernel in found.compiled] == [800]
    assert with_compile_time(outcome, None) == outcome
    assert with_compile_time(DIED, warmed) == DIED


def test_a_launch_that_the_ledger_holds_is_neither_taken_again_nor_counted_twice(setting: Setting) -> None:
    case = setting.plan.cases[0]
    timing = LaunchTiming(launch=0, samples_ns={"head": (1.0,)}, call_ns={"head": (1.0,)}, method="m")
    first, second = (Stopwatch(setting=setting, answers=Answers(outcomes={}, comparisons={}), emit=print) for _ in "ab")
    first.file(0, case, launched(timings={case.name: timing}))

    for _ in "twice":
        second.measure([0], [case], confirming=False)

    assert second.launches == {case: [timing]}
