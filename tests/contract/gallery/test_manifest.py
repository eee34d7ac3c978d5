"""The gallery's kgate.yaml, read by kgate, against the gallery's own code."""

import re
from pathlib import Path

import pytest

from tests.contract.gallery.conftest import wanted

manifests = wanted("kgate.load.manifest")

pytestmark = [pytest.mark.real]

ROOT = Path(__file__).resolve().parents[3] / "examples" / "gallery"


@pytest.fixture(scope="module")
def manifest():
    return manifests.load(ROOT / "kgate.yaml")


def text_of(reference):
    """The source of the module that a `module:function` names, and the function's name."""
    module, _, function = reference.partition(":")
    path = ROOT / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(), function


def custom_of(kernel):
    module, _, name = kernel.dispatch.partition(":")
    return kernel.custom or f"{module}.{kernel.dsl}_:{name}"


def test_every_function_named_exists(manifest):
    for kernel in manifest.kernels:
        for reference in filter(None, (kernel.dispatch, kernel.custom, kernel.fallback)):
            source, function = text_of(reference)

            assert f"\ndef {function}(" in source, reference


def test_every_device_kernel_named_is_one_that_the_custom_path_has(manifest):
    for kernel in manifest.kernels:
        for pattern in kernel.device_kernels:
            operator = re.sub(r"_(tilelang|cutile|triton)\*$", "", pattern)
            folder = "rms_norm" if operator == "rms_norm_backward" else operator
            source = (ROOT / "gallery" / folder / f"{kernel.dsl}_.py").read_text()

            assert f"def {pattern.removesuffix('*')}(" in source


def test_every_workload_says_where_it_is_from(manifest):
    for kernel in manifest.kernels:
        for workload in kernel.workloads:
            assert workload.source, f"{kernel.name}/{workload.name}"


def test_every_switch_is_one_that_the_dispatcher_reads(manifest):
    for kernel in manifest.kernels:
        source, _ = text_of(kernel.dispatch)
        if kernel.complete:
            assert f'"{kernel.switch.env}"' in source
            assert kernel.switch.custom == kernel.dsl


def test_only_an_operator_with_one_kernel_leaves_its_paths_to_dispatch(manifest):
    """Of several kernels behind one function, it tells the first."""
    alone = [kernel for kernel in manifest.kernels if not kernel.complete]

    assert [kernel.name for kernel in alone] == ["fp8_gemm_tilelang"]
    for kernel in alone:
        assert len([k for k in manifest.kernels if k.dispatch == kernel.dispatch]) == 1


def test_every_kernel_of_every_dsl_is_measured(manifest):
    measured = {custom_of(kernel).partition(":")[0] for kernel in manifest.kernels}

    files = sorted((ROOT / "gallery").glob("*/*[a-z]_.py"))

    assert len(files) > 10
    assert {f"gallery.{file.parent.name}.{file.stem}" for file in files} <= measured
