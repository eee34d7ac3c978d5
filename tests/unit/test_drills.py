"""Which conditions a kernel meets, and on which workloads."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import drills
from kgate.drills.agenda import spare
from kgate.drills.hanging import left_out, was_left_out
from kgate.model import FALLBACK, SWITCH_ON, Arm, Case, Kernel, Manifest, Outcome, Switch, Workload, of_base
from kgate.plan import Plan, Target, plan
from kgate.protocol import Arg, Fill, TensorArg, ValueArg
from kgate.reports import Style, render
from kgate.worker import adapters, conditions
from tests.unit.builders import answer, case, drill, failure, kernel, report_of, run_of, workload

CPU, GPU = Target(kind="cpu", name="cpu"), Target(kind="cuda", name="h200", arch="sm_90")
BOTH = ("cpu", "cuda")


def sized(name: str, elements: int, dtype: str = "float32", **options: bool) -> Workload:
    tensor = TensorArg(shape=(elements,), dtype=dtype, fill=Fill(kind="constant"), stream=0)
    args: dict[str, Arg] = {"x": tensor, **{key: ValueArg(value=value) for key, value in options.items()}}
    return workload(name, args=args, targets=BOTH)


def of(*kernels: Kernel, target: Target = CPU) -> Plan:
    manifest = Manifest(
        path=Path("kgate.yaml"), folder=Path(), root=Path(), python="", build="", env=(), baselines="", policy={},
        gpus={}, kernels=kernels, digest="",
    )  # fmt: skip
    return plan(manifest, None, target)


def reasons(declared: Kernel, target: Target = CPU) -> dict[str, str]:
    return {d.condition: d.not_run for d in drills.planned(of(declared, target=target), "smallest") if d.not_run}


def tried(work: Plan, which: str = "smallest") -> list[list[str]]:
    """Which workloads meet a condition, each answer once; the switch is tried with all."""
    planned = [d for d in drills.planned(work, which) if d.cases and d.condition != "switch-off"]
    return [list(names) for names in dict.fromkeys(tuple(c.workload for c in d.cases) for d in planned)]


def with_workloads(*chosen: Workload) -> Kernel:
    return replace(kernel(), workloads=chosen)


def test_the_smallest_workload_of_each_dtype_and_option_meets_every_condition() -> None:
    declared = with_workloads(
        sized("large", 4096),
        sized("small", 8),
        sized("half", 512, "float16"),
        sized("causal", 1024, causal=True),
        sized("full", 1024, causal=False),
    )

    assert tried(of(declared)) == [["small", "half", "causal", "full"]]


def test_the_switch_is_tried_with_every_workload_also_where_nothing_but_drills_is_run() -> None:
    work = drills.alone(of(with_workloads(sized("large", 4096), sized("small", 8))))

    switched = drills.planned(work, "smallest")[0]

    assert (switched.condition, [c.workload for c in switched.cases]) == ("switch-off", ["large", "small"])
    assert tried(work) == [["small"]]


def test_an_empty_workload_is_chosen_only_where_there_is_no_other() -> None:
    empty, full = sized("empty", 0), sized("full", 8)

    both, alone = (of(with_workloads(*some)) for some in ((empty, full), (empty,)))

    assert [tried(p) for p in (both, alone)] == [[["full"]], [["empty"]]]


def test_all_workloads_meet_every_condition_where_that_is_asked_for() -> None:
    planned = drills.planned(of(with_workloads(sized("large", 4096), sized("small", 8))), drills.ALL)

    assert {len(d.cases) for d in planned if not d.not_run} == {2}


def test_each_direction_meets_the_conditions_and_the_backward_one_alone_those_that_are_its_own() -> None:
    declared = replace(with_workloads(sized("large", 4096), sized("small", 8)), direction="both")

    met = {d.condition: [(c.workload, c.direction) for c in d.cases] for d in drills.planned(of(declared), "smallest")}

    assert met["package-absent"] == [("small", "forward"), ("small", "backward")]
    assert met["backward-raises"] == met["package-breaks-backward"] == [("small", "backward")]


def test_without_a_backward_direction_nothing_can_break_in_it() -> None:
    why = reasons(with_workloads(sized("small", 8)))

    assert why["backward-raises"] == "the manifest declares the forward direction alone"
    assert why["package-breaks-backward"] == why["backward-raises"]


def test_drills_that_are_left_out_say_so_and_so_does_the_whole_report() -> None:
    planned = drills.planned(of(with_workloads(sized("small", 8))), "none")

    assert {d.not_run for d in planned if d.condition != "switch-off"} == {"left out by --drills none"}
    reports = [report_of(drills.told(run_of(), planned, which, alone=False)) for which in ("none", "smallest")]
    for form in ("text", "markdown"):
        texts = [" ".join(render(report, form, Style()).split()) for report in reports]
        assert ["no more of it than the switch was tried" in text for text in texts] == [True, False]


def test_a_run_without_a_gpu_says_which_conditions_it_cannot_bring_about() -> None:
    declared = replace(with_workloads(sized("small", 8)), switch=Switch(env="ACME", read="call"), direction="both")

    assert reasons(declared) == dict.fromkeys(("no-gpu", "lower-gpu", "unknown-gpu"), "this run has no GPU")
    assert reasons(declared, GPU) == {}


def test_a_switch_that_is_read_on_import_is_not_turned_off_later() -> None:
    why = reasons(with_workloads(sized("small", 8)))["switch-off-later"]

    assert why == "the manifest says `read: import`, which promises no more"


def test_without_a_package_of_its_own_a_kernel_has_none_to_lose_but_what_the_manifest_names() -> None:
    plain = replace(with_workloads(sized("small", 8)), dsl="torch", direction="both")

    of_plain, of_named = set(reasons(plain)), set(reasons(replace(plain, optional=("acme_native",))))

    assert of_plain - of_named == {n for n in conditions.CONDITIONS if n.startswith("package-")}
    assert "compiler-fails" in of_plain & of_named


def test_a_kernel_with_nothing_to_do_on_this_device_is_not_drilled() -> None:
    elsewhere = replace(kernel(), workloads=(replace(sized("small", 8), targets=("cuda",)),))

    assert set(reasons(elsewhere).values()) == {"no workload of it is meant for this device"}


def test_a_call_of_other_shapes_is_the_smallest_that_is_not_empty_and_in_the_same_direction() -> None:
    declared = replace(
        with_workloads(sized("small", 8), sized("half", 8, "float16"), sized("large", 64), sized("empty", 0)),
        direction="both",
    )
    work = of(declared)
    small = Case(kernel="gemm", workload="small", device="cpu", direction="backward")

    assert spare(work, small) == replace(small, workload="large")
    assert spare(of(with_workloads(sized("small", 8))), replace(small, direction="forward")) is None


HUNG = failure("hung", "gave no answer within 1 s (`timeout_s` of the manifest), and was ended")
ABSENT, RAISES, MISSING = (drill(condition=n).arm for n in ("package-absent", "package-raises", "compiler-missing"))


def test_a_case_that_hangs_without_any_condition_is_waited_for_no_more() -> None:
    found = [left_out({(arm, case()): HUNG}, kernel(), ABSENT, case()) for arm in (FALLBACK, SWITCH_ON)]

    assert [f and f.text for f in found] == [
        "left out, since acme.gemm:eager hung without it",
        "left out, since acme.ops:gemm hung without it",
    ]
    assert all(map(was_left_out, found))


def test_a_case_that_hangs_under_two_conditions_is_waited_for_no_more_and_one_may_be_that_conditions_own() -> None:
    once, twice = {(ABSENT, case()): HUNG}, {(ABSENT, case()): HUNG, (RAISES, case()): HUNG}

    found = left_out(twice, kernel(), MISSING, case())

    assert left_out(once, kernel(), MISSING, case()) is None
    assert found is not None
    assert found.text == "left out, since acme.ops:gemm hung under package-absent and package-raises"


def test_what_hangs_in_another_case_or_at_base_or_answers_is_no_reason() -> None:
    large, at_base = (FALLBACK, case(workload="large")), (of_base(FALLBACK), case())
    others: dict[tuple[Arm, Case], Outcome] = {large: HUNG, at_base: HUNG, (SWITCH_ON, case()): answer()}

    assert left_out(others, kernel(), ABSENT, case()) is None
    assert was_left_out(left_out(others, kernel(), of_base(ABSENT), case()))
    assert not was_left_out(failure("unavailable", "no nvcc"))


@pytest.mark.parametrize("name", conditions.CONDITIONS)
def test_every_condition_is_called_as_the_table_calls_it_and_ends_a_sentence(name: str) -> None:
    condition = conditions.of_name(name)

    assert name == condition.NAME
    assert condition.WHERE.startswith(("where ", "with "))
    assert not condition.WHERE.endswith(".")


def test_a_kernel_can_lack_the_package_that_the_adapter_of_its_dsl_imports() -> None:
    assert {dsl: adapters.of_name(dsl).PACKAGE for dsl in conditions.DSLS} == conditions.DSLS
