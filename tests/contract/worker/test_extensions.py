"""The adapter of torch extensions: C++ that is built and run, and CUDA sources that are compiled for other GPUs."""

import shutil

import pytest

from tests.contract.worker.teller import HERE, Teller, only, python_with

pytestmark = pytest.mark.real

ENTRIES = ("built_only", "inline", "for_ampere", "called", "wrong")


@pytest.fixture(scope="module")
def teller(interpreter, tmp_path_factory):
    if shutil.which("ninja") is None:
        pytest.skip("not run: ninja is not on PATH")
    scratch = tmp_path_factory.mktemp("extensions")
    env = {"TORCH_EXTENSIONS_DIR": str(scratch / "built")}
    return Teller(python=python_with(interpreter, ["torch"]), dsl="cuda", scratch=scratch, env=env)


@pytest.fixture(scope="module")
def compiler(teller):
    if shutil.which("nvcc") is None:
        pytest.skip("not run: nvcc is not on PATH")
    return teller


@pytest.fixture(scope="module")
def hopper(compiler):
    """By entry of samples/extended.py, all in one process."""
    answers = compiler.asks("sm_90", *(f"extended:{entry}" for entry in ENTRIES))
    return dict(zip(ENTRIES, answers, strict=True))


@pytest.mark.parametrize(
    ("entry", "kernel", "shared_bytes"), [("built_only", "scale_kernel", 1024), ("inline", "inline_kernel", 0)]
)
def test_cuda_sources_are_compiled_for_a_gpu_that_is_not_there(hopper, entry, kernel, shared_bytes):
    built = only(hopper[entry])

    assert (built["kernel"], built["arch"]) == (kernel, "sm_90")
    assert built["code"]["registers"] > 0
    assert built["code"]["shared_bytes"] == shared_bytes
    assert built["compile_ns"] > 0
    assert "__global__ void" in built["texts"]["source"]


def test_the_options_are_those_of_torch_for_such_a_gpu(hopper):
    options = only(hopper["built_only"])["config"]["options"].split()

    assert "-gencode=arch=compute_90,code=sm_90" in options
    assert "-D__CUDA_NO_HALF_OPERATORS__" in options


def test_the_code_is_the_same_from_another_folder(compiler, hopper, tmp_path):
    shutil.copytree(HERE / "samples", tmp_path / "elsewhere")

    (again,) = compiler.asks("sm_90", "extended:built_only", tree=tmp_path / "elsewhere")

    assert only(again)["code"] == only(hopper["built_only"])["code"]


def test_options_that_name_another_gpu_are_found_out(hopper):
    assert hopper["for_ampere"]["error"] == [
        "compile",
        "compile-failed",
        "scale.cu names its architectures itself: it holds machine code for sm_80, and none for sm_90",
    ]


def test_a_function_of_an_extension_cannot_be_called_without_the_gpu(hopper):
    rung, reason, text = hopper["called"]["error"]

    assert (rung, reason) == ("environment", "unavailable")
    assert text.startswith("called.scale was compiled and cannot be called without the GPU: name a `compile` hook")


def test_nvccs_first_error_is_the_first_line(hopper):
    assert hopper["wrong"]["error"] == [
        "compile",
        "compile-failed",
        'RuntimeError: nvcc: wrong.cu(1): error: identifier "no_such_function" is undefined',
    ]


def test_without_nvcc_one_sentence_says_what_to_install(teller, tmp_path):
    (answer,) = teller.asks("sm_90", "extended:built_only", CUDA_HOME=str(tmp_path))

    rung, reason, text = answer["error"]
    assert (rung, reason) == ("environment", "unavailable")
    assert "CUDA_HOME" in text


def test_an_extension_for_the_cpu_is_built_and_has_no_device_kernels(teller):
    (answer,) = teller.asks("used", "extended:negated")

    assert answer["returned"] == [[4], "torch.float32", "cpu"]
    assert answer["built"] == []


def test_what_the_compiler_refuses_comes_first_in_the_error(teller):
    (answer,) = teller.asks("used", "extended:broken")

    rung, reason, text = answer["error"]
    assert (rung, reason) == ("compile", "compile-failed")
    assert text.startswith("RuntimeError: Error building extension 'broken': broken.cpp:1:23: error: ")
    assert "no_such_name" in text


def test_the_kernels_of_a_library_that_was_built_beforehand_are_told(compiler, tmp_path):
    shutil.copytree(HERE / "samples", tmp_path / "tree")

    (answer,) = compiler.asks("used", "extended:prebuilt", tree=tmp_path / "tree")

    assert [(b["kernel"], b["arch"], b["code"]["shared_bytes"]) for b in answer["built"]] == [
        ("scale_kernel", "sm_80", 1024),
        ("scale_kernel", "sm_90", 1024),
    ]
    assert (
        answer["built"][0]["note"] == "libscale.so: all kernels of the library: which of them a call runs is not told"
    )
