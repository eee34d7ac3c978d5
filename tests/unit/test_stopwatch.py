"""Launches on several GPUs and within a budget. The GPUs are names, and a launch is a function that answers at once."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from kgate import idle
from kgate.allowance import Allowance
from kgate.answers import Answers
from kgate.base import Base
from kgate.load.tree import Head
from kgate.model import HEAD, Event, Fingerprint, LaunchTiming, Tree
from kgate.plan import plan
from kgate.protocol import Identity
from kgate.runner.ledger import Ledger
from kgate.runner.lockstep import Launch
from kgate.runner.place import Workplace
from kgate.sequence import confirming_numbers
from kgate.setting import Setting
from kgate.stopwatch import Stopwatch
from tests.unit import builders
from tests.unit.test_plan import CPU, kernel, manifest, workload

GPUS = ("cuda:0", "cuda:1")
WEIGHTS = {"a": 1.0, "b": 6.0, "c": 3.0, "d": 1.0}


@dataclass
class Launches:
    """Stands for `run_launch`: every case takes `case_s`, and after `late` launches in all none is begun any more."""

    case_s: float = 0.0
    late: int = 1_000_000
    asked: list[tuple[str, int, tuple[str, ...]]] = field(default_factory=list)

    def __call__(self, workplace, arms, launch, schedule, emit, **how):
        cases = [job.case for job in arms[HEAD]]
        self.asked.append((workplace.device, launch, tuple(sorted(case.split("/")[1][0] for case in cases))))
        taken = cases if len(self.asked) <= self.late else []
        timing = LaunchTiming(launch=launch, samples_ns={"head": (1.0,)}, call_ns={"head": (1.0,)}, method="m")
        return Launch(
            timings=dict.fromkeys(taken, timing),
            failures={},
            exported={},
            start_s={"head": 0.1},
            case_s=dict.fromkeys(taken, self.case_s),
            skipped=frozenset(cases) - set(taken),
        )


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    declared = manifest(kernel("add", *(replace(workload(name, "cpu"), weight=w) for name, w in WEIGHTS.items())))
    seen = Identity(must_match={}, may_drift={}, information={}, adapters={}, devices={})
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        yield Setting(
            manifest=declared,
            base=Base(commit="b", tree_hash="t", folder=None, manifest=declared),
            head=Head(commit="h", dirty=False, tree="t"),
            plan=plan(declared, declared, CPU),
            workplace=Workplace(python={}, trees={Tree.HEAD: tmp_path}, folder=tmp_path, device="cpu"),
            identity=seen,
            fingerprint=Fingerprint(must_match={}),
            ledger=ledger,
            lock=-1,
            folder=tmp_path,
            stored=None,
            remarks=(),
            uuids=dict(zip(GPUS, "ab", strict=True)),
        )


def watched(
    setting: Setting, launches: Launches, allowance: Allowance | None = None, told: list[Event] | None = None
) -> Stopwatch:
    answers = Answers(outcomes={(HEAD, case): builders.answer() for case in setting.plan.cases}, comparisons={})
    emit = (told if told is not None else []).append
    return Stopwatch(
        setting=setting, answers=answers, emit=emit, allowance=allowance or Allowance(), run_launch=launches
    )


def test_each_gpu_takes_its_share_and_a_case_stays_where_it_is_within_a_look(setting: Setting) -> None:
    launches = Launches()

    watched(setting, launches).measure(range(3), setting.plan.cases, confirming=False)

    assert sorted(launches.asked) == [
        (gpu, number, share) for gpu, share in zip(GPUS, (("a", "c"), ("b", "d")), strict=True) for number in range(3)
    ]


def test_another_gpu_confirms_what_one_has_claimed(setting: Setting) -> None:
    launches = Launches()
    watch = watched(setting, launches)
    watch.measure(range(1), setting.plan.cases, confirming=False)
    launches.asked.clear()

    watch.measure(confirming_numbers(8, 1), setting.plan.cases[:2], confirming=True)

    assert sorted((gpu, cases) for gpu, _, cases in launches.asked) == [("cuda:0", ("b",)), ("cuda:1", ("a",))]


def test_what_every_gpu_measured_is_in_the_ledger(setting: Setting) -> None:
    watched(setting, Launches()).measure(range(2), setting.plan.cases, confirming=False)
    again = Launches()

    watched(setting, again).measure(range(2), setting.plan.cases, confirming=False)

    assert again.asked == []


def test_nothing_is_timed_on_a_gpu_that_somebody_else_fills_and_each_case_says_so(
    setting: Setting, monkeypatch
) -> None:
    launches = Launches()
    watch = watched(setting, launches)
    monkeypatch.setattr(idle, "doubt", lambda name, uuid: (name == "cuda:0", f"{name} is not idle"))

    cut = watch.measure(range(8), setting.plan.cases, confirming=False)

    assert (launches.asked, cut) == ([], set())
    assert watch.void == dict.fromkeys(setting.plan.cases, "cuda:1 is not idle")
    assert watch.remarks == ("cuda:0 is not idle",)


def test_a_gpu_that_breaks_the_gate_ends_the_run(setting: Setting) -> None:
    def broken(workplace, *args, **how):
        raise RuntimeError(workplace.device)

    with pytest.raises(RuntimeError, match="cuda:"):
        watched(setting, broken).measure(range(1), setting.plan.cases, confirming=False)


def test_the_first_launch_tells_that_there_is_time_for_the_heaviest_cases_alone(setting: Setting) -> None:
    launches, one = Launches(case_s=10.0), replace(setting, uuids={GPUS[0]: "a"})
    allowance = Allowance(began_s=time.monotonic(), budget_s=200.0)

    cut = watched(one, launches, allowance).measure(range(8), one.plan.cases, confirming=False)

    # 160 s are for looks, and seven launches more of a case take 70 s: two cases and no third.
    assert [cases for _, _, cases in launches.asked] == [("a", "b", "c", "d"), *[("b", "c")] * 7]
    assert {case.workload for case in cut} == {"a", "d"}


def test_a_case_that_time_ran_out_for_within_a_launch_is_not_filed_and_a_run_that_goes_on_takes_it(
    setting: Setting,
) -> None:
    one = replace(setting, uuids={GPUS[0]: "a"})

    cut = watched(one, Launches(late=1)).measure(range(2), one.plan.cases, confirming=False)
    again = Launches()
    watched(one, again).measure(range(2), one.plan.cases, confirming=False)

    assert cut == set(one.plan.cases)
    assert again.asked == [("cuda:0", 1, ("a", "b", "c", "d"))]


def test_a_spent_budget_starts_nothing_and_leaves_every_case(setting: Setting) -> None:
    launches, told = Launches(), []
    spent = Allowance(began_s=time.monotonic() - 60, budget_s=60.0)

    cut = watched(setting, launches, spent, told).measure(range(8), setting.plan.cases, confirming=False)
    cut_again = watched(setting, launches, spent).measure(confirming_numbers(8, 8), setting.plan.cases, confirming=True)

    assert launches.asked == []
    assert cut == cut_again == set(setting.plan.cases)
    assert [(event.name, event.fields["left_s"]) for event in told] == [("look-started", 0.0)]


def test_each_look_says_how_many_cases_are_decided_and_each_launch_what_it_spent(setting: Setting) -> None:
    told: list[Event] = []
    watch = watched(setting, Launches(), told=told)

    watch.measure(range(1), setting.plan.cases[1:], confirming=False)

    look, launch = told
    assert (look.name, look.fields["open"], look.fields["cases"], look.fields["left_s"]) == ("look-started", 3, 4, None)
    assert (launch.name, launch.fields["cases"], launch.fields["confirming"]) == ("launch-ended", 3, False)
