"""What the TileLang adapter tells of kernels: compiled for GPUs that are not there, and run on the CPU."""

import json
import shutil
from pathlib import Path

import pytest

from tests.contract.worker.teller import HERE, Teller, only, python_with

pytestmark = pytest.mark.real

GEMM_SHARED_BYTES = 3 * (128 * 32 + 32 * 64) * 2  # stages of a tile of a and one of b in float16: samples/tiled_cuda.py
ENTRIES = (
    *("gemm", "add", "chained", "longer", "eager", "built_only", "in_a_library"),
    *("wrong_code", "too_many", "on_the_cpu", "tuned"),
)


@pytest.fixture(scope="module")
def teller(interpreter, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("tilelang")
    python = python_with(interpreter, ["tilelang"])
    return Teller(python=python, dsl="tilelang", scratch=scratch, env={"TILELANG_CACHE_DIR": str(scratch / "cache")})


@pytest.fixture(scope="module")
def compiler(teller):
    if shutil.which("nvcc") is None:
        pytest.skip("not run: nvcc is not on PATH")
    return teller


@pytest.fixture(scope="module")
def ampere(compiler):
    return compiler.asks("sm_80", "tiled_cuda:gemm", "tiled_cuda:add")


@pytest.fixture(scope="module")
def hopper(answered):
    return [answered["gemm"], answered["add"]]


@pytest.fixture(scope="module")
def answered(compiler):
    """By entry of samples/tiled_cuda.py, all in one process."""
    answers = compiler.asks("sm_90", *(f"tiled_cuda:{entry}" for entry in ENTRIES))
    return dict(zip(ENTRIES, answers, strict=True))


def test_kernels_are_compiled_for_the_architecture_as_tilelang_names_it_on_such_a_gpu(ampere, hopper):
    assert [only(answer)["arch"] for answer in (*ampere, *hopper)] == ["sm_80", "sm_80", "sm_90a", "sm_90a"]


def test_the_machine_code_holds_the_kernel_and_its_registers(ampere, hopper):
    for gemm, add in (ampere, hopper):
        assert (only(gemm)["kernel"], only(add)["kernel"]) == ("matmul_kernel_kernel", "add_kernel")
        assert only(gemm)["code"]["registers"] > only(add)["code"]["registers"] > 0


def test_only_hopper_gets_its_tensor_cores(ampere, hopper):
    assert "tl::wgmma" in only(hopper[0])["texts"]["source"]
    assert "tl::wgmma" not in only(ampere[0])["texts"]["source"]


def test_shared_memory_is_what_the_schedule_asks_for(ampere, hopper):
    assert [only(answer)["dynamic_shared_bytes"] for answer in (*ampere, *hopper)] == [
        *(GEMM_SHARED_BYTES, 0),
        *(GEMM_SHARED_BYTES, 0),
    ]


def test_a_call_returns_what_the_kernel_promises_in_the_size_of_its_arguments(hopper):
    assert [answer["returned"] for answer in hopper] == [
        [[300, 256], "torch.float16", "cuda:0"],
        [[4096], "torch.float32", "cuda:0"],
    ]


def test_arguments_of_the_factory_are_its_configuration(hopper):
    config = only(hopper[0])["config"]

    assert (config["n"], config["k"], config["tile_n"]) == ("256", "512", "64")


def test_the_code_is_the_same_from_another_folder_and_another_cache(compiler, hopper, tmp_path):
    copied = shutil.copy(HERE / "samples" / "tiled_cuda.py", tmp_path)

    again = compiler.asks(
        "sm_90", "tiled_cuda:gemm", tree=Path(copied).parent, TILELANG_CACHE_DIR=str(tmp_path / "cache")
    )

    assert only(again[0])["compile_ns"] > 0
    assert only(again[0])["code"] == only(hopper[0])["code"]


def test_a_kernel_out_of_the_cache_tells_the_same_and_cost_nothing(compiler, hopper):
    again = only(compiler.asks("sm_90", "tiled_cuda:gemm")[0])

    assert again == {**only(hopper[0]), "compile_ns": None}


def test_a_wrapper_goes_on_with_what_its_first_kernel_returned(answered):
    assert [one["kernel"] for one in answered["chained"]["built"]] == ["first_kernel", "second_kernel"]
    assert answered["longer"]["returned"] == [[201], "torch.float32", "cuda:0"]
    assert answered["eager"]["returned"] == [[2048], "torch.float32", "cuda:0"]


def test_a_kernel_for_the_cython_backend_is_compiled_without_a_driver(answered):
    assert only(answered["in_a_library"])["code"] == only(answered["add"])["code"]


def test_what_is_only_built_is_told_of_too(answered):
    assert only(answered["built_only"])["kernel"] == "matmul_kernel_kernel"


def test_nvccs_first_error_is_the_first_line(answered):
    rung, reason, text = answered["wrong_code"]["error"]
    assert (rung, reason) == ("compile", "compile-failed")
    assert text.startswith("RuntimeError: nvcc: tvm_kernels.cu(")
    assert 'identifier "no_such_function" is undefined' in text


def test_a_wrong_number_of_arguments_is_no_compile_error(answered):
    assert answered["too_many"]["error"] == [
        "run",
        "raised",
        "ValueError: Kernel expected 2 inputs, but 3 are provided.",
    ]


def test_a_kernel_of_the_cpu_says_nothing_about_a_gpu(answered):
    assert answered["on_the_cpu"]["error"][0] == "environment"
    assert "target c" in answered["on_the_cpu"]["error"][2]


def test_without_a_gpu_the_tuners_first_configuration_is_compiled_and_says_so(answered):
    built = only(answered["tuned"])
    assert built["config"]["tile_n"] == "32"
    assert built["note"] == "the first of 2 configurations: its tuner needs the GPU to choose"


def test_without_a_gpu_a_frozen_pick_is_compiled(compiler):
    (answer,) = compiler.asks(
        "sm_90", "tiled_cuda:tuned", PICKS=json.dumps({"tiled_cuda.searched(256, 512)": "tile_n=128"})
    )

    assert (only(answer)["config"]["tile_n"], only(answer)["note"]) == ("128", "")


def test_without_nvcc_one_sentence_says_what_to_install(teller, tmp_path):
    (answer,) = teller.asks("sm_90", "tiled_cuda:add", CUDA_HOME=str(tmp_path))

    rung, reason, text = answer["error"]
    assert (rung, reason) == ("environment", "unavailable")
    assert "nvcc" in text
    assert "CUDA_HOME" in text


def test_a_kernel_on_the_cpu_is_told_of_out_of_the_cache_too(teller):
    first, second = teller.asks("used", "tiled:called", "tiled:called")
    (from_disk,) = teller.asks("used", "tiled:called")

    assert (only(first)["kernel"], only(first)["arch"], only(first)["code"]) == ("kernel_kernel", "cpu", None)
    assert "z[i] = (x[i] + y[i]);" in only(first)["texts"]["source"]
    assert only(second) == only(first)
    assert only(from_disk) == {**only(first), "compile_ns": None}


def test_what_the_tuner_picks_is_told_and_what_it_could_have_picked(teller):
    (answer,) = teller.asks("used", "tiled:timed")

    assert answer["tuned"] == {"tiled.chunked(8)": "chunk=4"}
    assert answer["spaces"] == {"tiled.chunked(8)": ["chunk=2", "chunk=4"]}
    assert only(answer)["config"]["chunk"] == "4"


def test_a_frozen_pick_is_taken_and_nothing_is_timed(teller):
    (answer,) = teller.asks("used", "tiled:searched", PICKS=json.dumps({"tiled.chunked(8)": "chunk=4"}))

    assert only(answer)["config"]["chunk"] == "4"


def test_a_pick_that_is_no_longer_listed_is_not_taken(teller, tmp_path):
    picks = json.dumps({"tiled.chunked(8)": "chunk=8"})

    (answer,) = teller.asks("used", "tiled:searched", PICKS=picks, TILELANG_CACHE_DIR=str(tmp_path))

    # On the CPU TileLang's tuner can time nothing.
    assert "Auto-tuning failed" in answer["error"][2]
