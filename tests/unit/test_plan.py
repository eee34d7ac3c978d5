"""Plan: which cases a device expects, and the job of each arm."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    Kernel,
    Level,
    Manifest,
    Place,
    Refusal,
    Switch,
    Tuning,
    Workload,
    of_base,
)
from kgate.plan import (
    CPU_LOOKS,
    LATENCY_RULES,
    Target,
    acting,
    drilled,
    job,
    jobs,
    looks,
    plan,
    same_signature,
)
from kgate.protocol import Fill, TensorArg
from kgate.switching import compatible, switches
from kgate.varying import untried, varied

CPU = Target(kind="cpu", name="cpu")
H200 = Target(kind="cuda", name="h200", arch="sm_90", index=1)
HERE = Place(path="kgate.yaml", line=1)


def workload(name: str, *targets: str, args: tuple[str, ...] = ("x",)) -> Workload:
    tensor = TensorArg(shape=(2, 3), dtype="float32", fill=Fill(kind="normal", b=1.0), stream=1)
    return Workload(
        name=name, args=dict.fromkeys(args, tensor), symbols={"M": 2}, targets=targets, tolerance={}, place=HERE
    )


def kernel(name: str, *workloads: Workload) -> Kernel:
    return Kernel(
        name=name,
        owners=("@acme/kernels",),
        dsl="tilelang",
        dispatch="acme:dispatch",
        custom="acme:fused",
        fallback="acme:eager",
        workloads=workloads,
        place=HERE,
        switch=Switch(env=f"ACME_{name.upper()}", custom="on", fallback="off"),
    )


def manifest(*kernels: Kernel) -> Manifest:
    return Manifest(
        path=Path("/r/kgate.yaml"),
        folder=Path("/r"),
        root=Path("/r"),
        python="",
        build="",
        env=(),
        baselines="",
        policy={},
        gpus={},
        kernels=kernels,
        digest="0",
    )


def test_a_device_expects_only_the_workloads_meant_for_it() -> None:
    declared = manifest(
        kernel("add", workload("any", "cpu", "cuda"), workload("big", "cuda"), workload("hopper", "sm_90"))
    )

    on_cpu, on_gpu = plan(declared, None, CPU), plan(declared, None, H200)

    assert [c.name for c in on_cpu.cases] == ["add/any@cpu"]
    assert [c.name for c in on_gpu.cases] == ["add/any@h200", "add/big@h200", "add/hopper@h200"]
    assert H200.torch_name == "cuda:1"


def test_an_architecture_target_is_not_met_by_another_gpu() -> None:
    other = replace(H200, arch="sm_100")

    assert plan(manifest(kernel("add", workload("hopper", "sm_90"))), None, other).cases == ()
    assert len(plan(manifest(kernel("add", workload("hopper", "sm_90a"))), None, H200).cases) == 1


def test_a_workload_that_is_refused_is_no_case_and_is_asked_besides() -> None:
    line = Refusal(when="M > 9", ending="ValueError")
    refused = replace(workload("odd", "cpu"), refusal=line)
    declared = replace(kernel("add", workload("any", "cpu"), refused), refuses=(line,))

    asked = varied(plan(manifest(declared), None, CPU))

    assert [c.name for c in asked.cases] == ["add/any@cpu"]
    assert "workload odd" in {v.change for v in asked.variants.values() if v.workload.refusal == line}
    assert untried(asked) == ()


def test_what_is_refused_is_asked_last_with_the_usual_call_right_behind_it() -> None:
    line = Refusal(when="columns % 3", ending="ValueError")
    odd = replace(
        kernel("add", workload("any", "cpu")),
        refuses=(line,),
        refused=lambda symbols, args: line if args["x"].shape[1] % 3 else None,
    )
    asked = varied(plan(manifest(odd), None, CPU))

    order = [asked.variants[asked.case_named(j.case)] for j in jobs(asked, SWITCH_ON, asked.variants)]

    refused = [n for n, v in enumerate(order) if v.workload.refusal]
    behind = [n for n, v in enumerate(order) if v.behind]
    assert [order[n - 1].change for n in behind] == [order[n].behind for n in behind]
    assert len(behind) == 2
    assert min(refused) > max(n for n, v in enumerate(order) if not v.refused)


def test_a_line_that_nothing_fits_is_said_to_be_untried() -> None:
    line = Refusal(when="M == 4", ending="fallback")
    declared = replace(kernel("add", workload("any", "cpu")), refuses=(line,), refused=lambda symbols, args: None)

    (said,) = untried(varied(plan(manifest(declared), None, CPU)))

    assert said.startswith("add: what `refuses` names as 'M == 4' is not tried")


@pytest.mark.parametrize(
    ("arm", "entry", "dsl", "widen"),
    [
        (HEAD, "acme:fused", "tilelang", False),
        (FALLBACK, "acme:eager", "torch", False),
        (REFERENCE, "acme:eager", "torch", True),
        (SWITCH_ON, "acme:dispatch", "tilelang", False),
        (SWITCH_OFF, "acme:dispatch", "torch", False),
    ],
)
def test_each_arm_calls_its_function_and_only_the_reference_is_widened(arm, entry, dsl, widen) -> None:
    work = plan(manifest(kernel("add", workload("w", "cpu"))), None, CPU)

    made = job(work, arm, work.cases[0])

    assert (made.entry, made.dsl, made.widen, made.cast) == (entry, dsl, widen, False)


def test_a_reference_of_the_users_own_is_called_with_inputs_as_they_are() -> None:
    own = replace(kernel("add", workload("w", "cpu")), reference="acme:exact")
    work = plan(manifest(own), None, CPU)

    made = job(work, REFERENCE, work.cases[0])

    assert (made.entry, made.widen, made.cast) == ("acme:exact", False, True)


def test_base_arms_call_what_bases_manifest_names() -> None:
    old = replace(kernel("add", workload("w", "cpu")), custom="acme:older")
    work = plan(manifest(kernel("add", workload("w", "cpu"))), manifest(old), CPU)

    assert job(work, BASE, work.cases[0]).entry == "acme:older"
    assert job(work, of_base(FALLBACK), work.cases[0]).entry == "acme:eager"


def test_a_drill_sets_every_kernels_switch_and_other_arms_set_none() -> None:
    kernels = (kernel("add", workload("w", "cpu")), kernel("mul", workload("w", "cpu")))

    assert switches(kernels, SWITCH_OFF) == {"ACME_ADD": "off", "ACME_MUL": "off"}
    assert switches(kernels, SWITCH_ON) == {"ACME_ADD": "on", "ACME_MUL": "on"}
    assert switches(kernels, HEAD) == {}


def test_kernels_that_want_one_variable_at_different_values_are_drilled_apart() -> None:
    one = replace(kernel("add_a"), switch=Switch(env="ADD", custom="a", fallback="torch"))
    two = replace(kernel("add_b"), switch=Switch(env="ADD", custom="b", fallback="torch"))
    other = kernel("mul")

    on, off = compatible((one, two, other), SWITCH_ON), compatible((one, two, other), SWITCH_OFF)

    assert [[k.name for k in group] for group in on] == [["add_a", "mul"], ["add_b"]]
    assert [[k.name for k in group] for group in off] == [["add_a", "add_b", "mul"]]


def test_a_context_switch_wraps_the_call_and_sets_no_variable() -> None:
    by_context = replace(
        kernel("add", workload("w", "cpu")), switch=Switch(context="acme:use", custom="a", fallback="b")
    )
    work = plan(manifest(by_context), None, CPU)

    assert job(work, SWITCH_OFF, work.cases[0]).context == ("acme:use", "b")
    assert job(work, HEAD, work.cases[0]).context is None
    assert switches([by_context], SWITCH_OFF) == {}


def test_a_kernel_without_switch_is_not_drilled() -> None:
    bare = replace(kernel("add", workload("w", "cpu")), switch=None)
    work = plan(manifest(bare, kernel("mul", workload("w", "cpu"))), None, CPU)

    assert [c.kernel for c in drilled(work, work.cases)] == ["mul"]


def test_base_is_asked_for_the_reference_only_while_the_arguments_are_the_same() -> None:
    new = manifest(kernel("add", workload("w", "cpu", args=("x", "y"))), kernel("mul", workload("w", "cpu")))
    old = manifest(kernel("add", workload("w", "cpu")), kernel("mul", workload("older", "cpu")))
    work = plan(new, old, CPU)

    assert [c.kernel for c in work.cases if same_signature(work, c)] == ["mul"]
    assert not same_signature(plan(new, None, CPU), work.cases[0])


def test_the_order_of_jobs_differs_between_arms_but_not_between_runs() -> None:
    work = plan(manifest(kernel("add", *(workload(f"w{i}", "cpu") for i in range(30)))), None, CPU)

    first, again, other = (jobs(work, arm, work.cases) for arm in (HEAD, HEAD, FALLBACK))

    assert [j.case for j in first] == [j.case for j in again]
    assert sorted(j.case for j in first) == sorted(j.case for j in other)
    assert [j.case for j in first] != [j.case for j in other]


def test_a_case_is_looked_at_again_only_where_an_answer_stops_or_warns() -> None:
    assert looks(CPU, acts=True) == CPU_LOOKS
    assert looks(CPU, acts=False).at == (5,)
    assert looks(replace(CPU, kind="cuda"), acts=True).at == (8, 16, 32)


def test_more_launches_are_spent_only_on_what_does_more_than_note() -> None:
    noted = dict.fromkeys(LATENCY_RULES, Level.NOTE)

    assert acting(noted) == frozenset()
    assert acting({**noted, "slower-than-base": Level.WARN}) == {"base"}
    assert acting({**noted, "slower-than-fallback": Level.FAIL}) == {"fallback"}


def test_a_configuration_is_fixed_where_the_product_calls_and_nowhere_else() -> None:
    tuned = replace(
        kernel("add", workload("any", "cpu")), tune=Tuning(config="acme.tuning:fixed", space={"tile": (64, 128)})
    )
    asked = varied(plan(manifest(tuned), None, CPU))
    case = next(c for c, v in asked.variants.items() if v.choice == {"tile": 128})

    by_arm = {arm.name: job(asked, arm, case) for arm in (SWITCH_ON, FALLBACK, REFERENCE)}

    assert {name: (j.config, j.choice) for name, j in by_arm.items()} == {
        SWITCH_ON.name: ("acme.tuning:fixed", {"tile": 128}),
        FALLBACK.name: ("", {}),
        REFERENCE.name: ("", {}),
    }


def test_a_kernel_with_gradients_is_asked_for_some_besides() -> None:
    both = replace(kernel("add", workload("any", "cpu")), direction="both")

    asked = varied(plan(manifest(both), None, CPU))

    assert {c.direction for c in asked.variants} == {"forward", "backward"}
    assert len({c.name for c in asked.variants}) == len(asked.variants)
