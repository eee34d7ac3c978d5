"""What will run on a machine that was seen."""

from dataclasses import replace
from pathlib import Path

from kgate.doctor import Seen
from kgate.doctor.prospects import prospects
from kgate.load.manifest import load
from kgate.model import Manifest
from tests.unit.doctor.sights import GOOD, reported, told, without_gpu

ENTRY = """\
  {name}:
    owners: ["@acme/kernels"]
    dsl: {dsl}
    dispatch: acme:gemm
    custom: acme:fused
    fallback: acme:eager
    targets: [{targets}]
    workloads: {{small: {{}}}}
"""


def manifest(folder: Path, *entries: tuple[str, str, str]) -> Manifest:
    """Kernels by name, DSL and targets."""
    text = "".join(ENTRY.format(name=name, dsl=dsl, targets=targets) for name, dsl, targets in entries)
    (folder / "kgate.yaml").write_text(f"version: 1\nkernels:\n{text}")
    return load(folder / "kgate.yaml")


def reasons(seen: Seen, declared: Manifest | None) -> dict[str, str]:
    return {f"{prospect.dsl} on {prospect.target}": prospect.reason for prospect in prospects(seen, declared)}


def test_kernels_are_told_by_dsl_and_target_and_those_that_run_come_first(tmp_path: Path) -> None:
    declared = manifest(
        tmp_path, ("wide", "triton", "sm_100"), ("a", "tilelang", "cpu, cuda"), ("b", "tilelang", "cuda")
    )

    found = prospects(GOOD, declared)

    assert [(p.dsl, p.target, p.kernels, p.reason) for p in found] == [
        ("tilelang", "cpu", ("a",), ""),
        ("tilelang", "cuda", ("a", "b"), ""),
        ("triton", "sm_100", ("wide",), "this GPU is sm_90"),
    ]


def test_a_target_with_features_of_its_own_is_this_gpu(tmp_path: Path) -> None:
    assert reasons(GOOD, manifest(tmp_path, ("a", "cutile", "sm_90a"))) == {"cutile on sm_90a": ""}


def test_without_a_gpu_kernels_for_the_cpu_run_and_the_others_do_not(tmp_path: Path) -> None:
    found = reasons(without_gpu(), manifest(tmp_path, ("a", "tilelang", "cpu, cuda, sm_90")))

    assert found == {
        "tilelang on cpu": "",
        "tilelang on cuda": "no GPU is seen here",
        "tilelang on sm_90": "no GPU is seen here",
    }


def test_a_driver_that_is_too_old_for_torch_stops_every_kernel_on_the_gpu(tmp_path: Path) -> None:
    found = reasons(replace(GOOD, driver="550.54.15"), manifest(tmp_path, ("a", "triton", "cpu, cuda")))

    assert found["triton on cpu"] == ""
    assert found["triton on cuda"].startswith("torch is of CUDA 13.0, which needs driver r580")


def test_what_only_may_not_fit_stops_nothing(tmp_path: Path) -> None:
    seen = told(GOOD, nvcc="")

    found = reasons(seen, manifest(tmp_path, ("a", "cuda", "cuda"), ("b", "tilelang", "cuda")))

    assert found == {
        "cuda on cuda": "",
        "tilelang on cuda": "it compiles for GPUs with nvcc, which is not here",
    }


def test_without_a_c_compiler_those_that_call_one_do_not_run(tmp_path: Path) -> None:
    seen = replace(GOOD, compiler="gcc", tools={})
    kernels = ("a", "tilelang", "cpu, cuda"), ("b", "triton", "sm_90"), ("c", "cutile", "cuda")

    found = reasons(seen, manifest(tmp_path, *kernels))

    assert found == {
        "tilelang on cuda": "",
        "cutile on cuda": "",
        "tilelang on cpu": "the C compiler gcc is not on PATH",
        "triton on sm_90": "the C compiler gcc is not on PATH",
    }


def test_without_torch_nothing_runs() -> None:
    assert GOOD.identity is not None
    absent = "torch is not installed for /venv/bin/python"

    found = reasons(reported(GOOD, adapters={**GOOD.identity.adapters, "torch": absent}), None)

    assert set(found.values()) == {absent}


def test_without_an_interpreter_nothing_runs() -> None:
    found = reasons(replace(GOOD, identity=None, trouble="no python3 on PATH"), None)

    assert set(found.values()) == {"the worker's interpreter does not answer"}


def test_without_a_manifest_every_dsl_is_told_of_where_it_could_run() -> None:
    found = prospects(GOOD, None)

    assert {prospect.dsl for prospect in found} == {"torch", "tilelang", "triton", "cutile", "cutedsl", "cuda"}
    assert all(prospect.runs and prospect.kernels == () for prospect in found)
