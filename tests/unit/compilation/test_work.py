"""What there is to compile, for which architectures, and in which processes."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.compilation.work import Item, architectures, shares, work
from kgate.errors import UsageError
from kgate.model import Case, Kernel, Manifest
from kgate.protocol import CaseJob
from tests.unit.builders import kernel, workload


def on(name: str, *targets: str, workloads: tuple[str, ...] = ("small",), dsl: str = "triton") -> Kernel:
    made = tuple(workload(w, targets=targets) for w in workloads)
    return replace(kernel(name, workloads=()), workloads=made, dsl=dsl, compile="")


def manifest(*kernels: Kernel) -> Manifest:
    here = Path("/r")
    return Manifest(
        path=here / "kgate.yaml",
        folder=here,
        root=here,
        python="",
        build="",
        env=(),
        baselines="",
        policy={},
        gpus={},
        kernels=kernels,
        digest="0",
    )


def test_every_workload_that_is_meant_for_an_architecture_is_an_item() -> None:
    declared = manifest(on("any", "cuda", "cpu"), on("hopper", "sm_90"))

    items = work(declared, ("sm_80", "sm_90")).items

    assert [item.case.name for item in items] == ["any/small@sm_80", "any/small@sm_90", "hopper/small@sm_90"]
    assert {item.job.entry for item in items} == {"acme.any:fused", "acme.hopper:fused"}


def test_the_function_that_does_without_a_gpu_goes_along() -> None:
    declared = manifest(replace(on("any", "cuda"), compile="acme.any:built"))

    (item,) = work(declared, ("sm_90",)).items

    assert item.job.compile == "acme.any:built"


def test_what_has_nothing_to_compile_is_left_out_and_said() -> None:
    declared = manifest(
        on("cpu", "cpu"), on("eager", "cuda", dsl="torch"), on("idle", workloads=()), on("blackwell", "sm_100")
    )

    found = work(declared, ("sm_90",))

    assert found.items == ()
    assert found.left_out == {
        "cpu": "its targets are cpu alone",
        "eager": "its dsl is torch",
        "idle": "it has no workloads",
        "blackwell": "its targets are other architectures",
    }


def test_a_target_that_nobody_knows_is_said_though_others_are_compiled() -> None:
    declared = manifest(on("typo", "sm_90", "sm_123"), on("alone", "sm_123"))

    found = work(declared, ("sm_90",))

    assert [item.case.name for item in found.items] == ["typo/small@sm_90"]
    assert found.left_out == dict.fromkeys(("typo", "alone"), "kgate does not know its target sm_123")


@pytest.mark.parametrize("target", ["sm_90a", "sm_90f"])
def test_the_features_of_an_architecture_are_those_of_its_devices(target: str) -> None:
    declared = manifest(on("wgmma", target))

    assert architectures((), declared) == ("sm_90",)
    assert [item.case.name for item in work(declared, ("sm_90",)).items] == ["wgmma/small@sm_90"]


def test_architectures_are_those_asked_for_else_those_named_else_the_usual() -> None:
    named, unnamed = manifest(on("a", "sm_100", "cpu"), on("b", "sm_90")), manifest(on("a", "cuda"))

    assert architectures(("sm_80", "sm_80"), named) == ("sm_80",)
    assert architectures((), named) == ("sm_90", "sm_100")
    assert architectures((), unnamed) == ("sm_80", "sm_90", "sm_100")


@pytest.mark.parametrize("asked", ["sm_99", "sm_90a", "hopper"])
def test_an_architecture_that_is_none_is_refused_by_name(asked: str) -> None:
    with pytest.raises(UsageError, match=f"--arch {asked}: no such architecture"):
        architectures((asked,), manifest(on("a", "cuda")))


def item(kernel: str, workload: str, arch: str, dsl: str) -> Item:
    case = Case(kernel=kernel, workload=workload, device=arch)
    job = CaseJob(case=case.name, dsl=dsl, entry="acme:fused", args={}, keywords=False, symbols={})
    return Item(case=case, job=job)


@given(
    kernels=st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.sampled_from(["tilelang", "triton"]), min_size=1
    ),
    archs=st.lists(st.sampled_from(["sm_80", "sm_90", "sm_100"]), unique=True, min_size=1),
    workloads=st.integers(1, 4),
)
def test_shares_hold_every_item_once_and_never_part_a_kernels_workloads(
    kernels: dict[str, str], archs: list[str], workloads: int
) -> None:
    items = [item(k, f"w{i}", a, dsl) for a in archs for k, dsl in kernels.items() for i in range(workloads)]

    dealt = shares(items)

    assert Counter(i.case for share in dealt for i in share) == Counter(i.case for i in items)
    assert all(len({i.case.device for i in share}) == 1 for share in dealt)
    units = [{(i.case.kernel, i.case.device) for i in share} for share in dealt]
    assert len(set().union(*units)) == sum(map(len, units))
    assert all(share for share in dealt)


def test_what_takes_longest_to_compile_comes_first() -> None:
    sizes = {"triton": 2, "tilelang": 3, "cuda": 1}  # in another order by number than by time
    items = [item(dsl, f"w{i}", "sm_90", dsl) for dsl, size in sizes.items() for i in range(size)]

    dealt = shares(items)

    assert [share[0].job.dsl for share in dealt] == ["cuda", "tilelang", "triton"]
