"""Which conditions a kernel meets, and on which workloads."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import drills
from kgate.model import Kernel, Manifest, Switch, Workload
from kgate.plan import Plan, Target, plan
from kgate.protocol import Arg, Fill, TensorArg, ValueArg
from kgate.worker import adapters, conditions
from tests.unit.builders import kernel, workload

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

    planned = drills.planned(of(declared), "smallest")

    tried = {tuple(c.workload for c in d.cases) for d in planned if d.cases and d.condition != "switch-off"}
    assert tried == {("small", "half", "causal", "full")}


def test_the_switch_is_tried_with_every_workload() -> None:
    switched = drills.planned(of(with_workloads(sized("large", 4096), sized("small", 8))), "smallest")[0]

    assert (switched.condition, [c.workload for c in switched.cases]) == ("switch-off", ["large", "small"])


def test_an_empty_workload_is_chosen_only_where_there_is_no_other() -> None:
    empty, full = sized("empty", 0), sized("full", 8)

    both, alone = (of(with_workloads(*some)) for some in ((empty, full), (empty,)))

    assert [[c.workload for c in drills.smallest_of_all(p)] for p in (both, alone)] == [["full"], ["empty"]]


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


def test_drills_that_are_left_out_say_so() -> None:
    planned = drills.planned(of(with_workloads(sized("small", 8))), "none")

    assert {d.not_run for d in planned if d.condition != "switch-off"} == {"left out by --drills none"}


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


@pytest.mark.parametrize("name", conditions.CONDITIONS)
def test_every_condition_is_called_as_the_table_calls_it_and_ends_a_sentence(name: str) -> None:
    condition = conditions.of_name(name)

    assert name == condition.NAME
    assert condition.WHERE.startswith(("where ", "with "))
    assert not condition.WHERE.endswith(".")


def test_a_kernel_can_lack_the_package_that_the_adapter_of_its_dsl_imports() -> None:
    assert {dsl: adapters.of_name(dsl).PACKAGE for dsl in conditions.DSLS} == conditions.DSLS
