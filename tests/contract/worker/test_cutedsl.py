"""The CuTe DSL adapter, with its real compiler and no GPU."""

import os
import shutil

import pytest

from tests.contract.worker.teller import HERE, Teller, only, python_with

pytestmark = pytest.mark.real

ENTRIES = ("add", "implicit", "built_only", "both", "compiled_once", "wrong", "host")
ROWS_BYTES = 2048 * 4  # of samples/cute_kernels.py, in float32


@pytest.fixture(scope="module")
def teller(interpreter, tmp_path_factory):
    named = os.environ.get("KGATE_TEST_CUTEDSL_PYTHON", interpreter)
    scratch = tmp_path_factory.mktemp("cutedsl")
    python = python_with(named, ["cutlass", "torch"])
    return Teller(python=python, dsl="cutedsl", scratch=scratch, env={"CUTE_DSL_CACHE_DIR": str(scratch / "cache")})


@pytest.fixture(scope="module")
def hopper(teller):
    answers = teller.asks("sm_90", *(f"cute_kernels:{entry}" for entry in ENTRIES))
    return dict(zip(ENTRIES, answers, strict=True))


def test_a_wrapper_that_is_called_compiles_its_kernel_for_the_gpu_and_launches_nothing(hopper):
    built = only(hopper["add"])

    assert built["kernel"].startswith("kernel_cutlass_add_kernel_")
    assert built["arch"] == "sm_90a"
    assert built["code"]["registers"] > 0
    assert hopper["add"]["returned"] == [[4096], "torch.float32", "cuda:0"]


def test_tensors_without_memory_compile_the_code_that_the_dsls_own_placeholders_do(hopper):
    assert only(hopper["add"])["code"] == only(hopper["built_only"])["code"]


def test_torch_tensors_are_taken_as_they_are(hopper):
    assert "bf16" in only(hopper["implicit"])["kernel"]


def test_shared_memory_is_what_each_launch_asks_for(hopper):
    asked = {built["kernel"].split("_kernel_")[0]: built["dynamic_shared_bytes"] for built in hopper["both"]["built"]}

    assert asked == {"kernel_cutlass_add": 0, "kernel_cutlass_reverse": ROWS_BYTES}


def test_what_was_compiled_once_can_be_called_and_is_told_once(hopper):
    assert only(hopper["compiled_once"])["arch"] == "sm_90a"


def test_a_function_of_the_tvm_ffi_interface_launches_nothing_either(teller, hopper):
    python_with(teller.python, ["tvm_ffi"])

    (answer,) = teller.asks("sm_90", "cute_kernels:through_tvm_ffi")

    assert only(answer)["code"] == only(hopper["add"])["code"]


def test_the_reason_stands_in_the_first_line(hopper):
    assert hopper["wrong"]["error"] == [
        "compile",
        "compile-failed",
        "cutlass.base_dsl.common.DSLUserCodeError: NameError in `launch_wrong`: name 'no_such_function' is not defined",
    ]


def test_a_function_of_the_host_runs_and_has_no_device_kernels(hopper):
    assert (hopper["host"]["error"], hopper["host"]["built"]) == (None, [])


def test_the_code_is_the_same_from_another_folder_and_another_cache(teller, hopper, tmp_path):
    shutil.copy(HERE / "samples" / "cute_kernels.py", tmp_path)

    (again,) = teller.asks("sm_90", "cute_kernels:add", tree=tmp_path, CUTE_DSL_CACHE_DIR=str(tmp_path / "cache"))

    assert only(again)["compile_ns"] > 0
    assert only(again)["code"] == only(hopper["add"])["code"]


def test_a_kernel_out_of_the_cache_tells_the_same_and_cost_nothing(teller, hopper):
    (again,) = teller.asks("sm_90", "cute_kernels:add")

    assert only(again) == {**only(hopper["add"]), "compile_ns": None}


def test_another_architecture_gets_other_code(teller, hopper):
    (ampere,) = teller.asks("sm_80", "cute_kernels:add")

    assert only(ampere)["arch"] == "sm_80"
    assert only(ampere)["code"]["code_sha256"] != only(hopper["add"])["code"]["code_sha256"]


def test_what_is_compiled_in_a_call_is_told_where_nothing_is_pretended(teller):
    built_only, host = teller.asks("used", "cute_kernels:built_only", "cute_kernels:host")

    assert only(built_only)["kernel"].startswith("kernel_cutlass_add_kernel_")
    assert (host["error"], host["built"]) == (None, [])
