"""Whether parts of a machine go together; what must hold is from the makers' own pages, which `fit` names."""

from dataclasses import replace

import pytest

from kgate.doctor import Seen, fit
from tests.unit.doctor.sights import GOOD, told, without_gpu


@pytest.mark.parametrize("dsl", fit.FITS)
def test_on_a_machine_whose_parts_fit_nothing_is_said_against_any_dsl(dsl: str) -> None:
    assert fit.FITS[dsl](GOOD) is None


# CUDA 13.x needs driver 580, CUDA 12.x 525; an H200's driver of 2024 is r550.
@pytest.mark.parametrize(
    ("dsl", "seen", "needed"),
    [
        ("torch", GOOD, "580"),
        ("cutile", GOOD, "580"),
        ("cutedsl", GOOD, "575.51.03"),
        ("tilelang", GOOD, "580"),
        ("cuda", GOOD, "580"),
        ("triton", told(GOOD, triton_ptxas="13.0.1"), "580"),
    ],
)
def test_an_old_driver_is_too_old_for_what_is_built_with_a_newer_cuda(dsl: str, seen: Seen, needed: str) -> None:
    found = fit.FITS[dsl](replace(seen, driver="550.54.15"))

    assert found is not None
    assert found.blocks
    assert needed in found.text
    assert "550.54.15" in found.text
    assert needed in found.fix


def test_a_driver_of_2024_runs_what_cuda_12_compiles() -> None:
    assert fit.triton(replace(GOOD, driver="550.54.15")) is None


def test_the_last_number_of_a_driver_counts() -> None:
    assert fit.cutedsl(replace(GOOD, driver="575.51.02")) is not None
    assert fit.cutedsl(replace(GOOD, driver="575.51.03")) is None


@pytest.mark.parametrize(
    ("tileiras", "capability", "fits"),
    [
        ("13.1.80", "10.0", True),
        ("13.1.80", "8.9", False),
        ("13.2.51", "8.9", True),
        ("13.2.51", "9.0", False),
        ("13.3.20", "9.0", True),
        ("13.4.92", "12.0", True),
        ("13.4.92", "7.5", False),
        ("13.4.92", "", True),  # nobody knows for what it would have to compile
    ],
)
def test_tileiras_compiles_for_more_gpus_with_each_version(tileiras: str, capability: str, fits: bool) -> None:
    seen = told(GOOD, tileiras=tileiras, capability=capability)
    seen = seen if capability else replace(seen, card=None)

    assert (fit.cutile(seen) is None) is fits


def test_the_version_of_tileiras_that_would_do_is_named() -> None:
    found = fit.cutile(told(GOOD, tileiras="13.2.51"))

    assert found is not None
    assert found.fix == "install tileiras 13.3 or newer"


def test_cutile_without_its_compiler_is_told_how_to_get_one() -> None:
    found = fit.cutile(told(GOOD, tileiras=""))

    assert found is not None
    assert "cuda-tile[tileiras]" in found.fix


@pytest.mark.parametrize(
    ("architectures", "capability", "fits"),
    [
        ("sm_80", "8.6", True),  # machine code of the same major, and not of a newer minor
        ("sm_86", "8.0", False),
        ("sm_80", "9.0", False),
        ("sm_80 compute_80", "9.0", True),  # PTX is compiled by the driver
        ("sm_90a", "9.0", True),
        ("compute_100", "9.0", False),
        ("", "9.0", True),  # torch does not tell
    ],
)
def test_torch_needs_machine_code_or_ptx_for_this_gpu(architectures: str, capability: str, fits: bool) -> None:
    seen = told(GOOD, torch_architectures=architectures, capability=capability)

    assert (fit.torch(seen) is None) is fits


@pytest.mark.parametrize(("dsl", "least", "below"), [("triton", "8.0", "7.5"), ("tilelang", "7.0", "6.1")])
def test_a_gpu_that_is_too_old_for_a_dsl_is_told(dsl: str, least: str, below: str) -> None:
    assert fit.FITS[dsl](told(GOOD, capability=least)) is None
    found = fit.FITS[dsl](told(GOOD, capability=below))

    assert found is not None
    assert least in found.text


def test_an_nvcc_of_another_cuda_than_torchs_builds_no_extension_and_may_do_for_tilelang() -> None:
    seen = told(GOOD, nvcc="12.9.86")

    extension, tilelang = fit.cuda(seen), fit.tilelang(seen)

    assert extension is not None
    assert extension.blocks
    assert tilelang is not None
    assert not tilelang.blocks


def test_without_nvcc_tilelang_cannot_and_an_extension_that_is_built_can() -> None:
    seen = told(GOOD, nvcc="")

    extension, tilelang = fit.cuda(seen), fit.tilelang(seen)

    assert extension is not None
    assert not extension.blocks
    assert tilelang is not None
    assert tilelang.blocks


@pytest.mark.parametrize("dsl", fit.FITS)
def test_without_a_gpu_no_version_of_a_driver_is_asked_for(dsl: str) -> None:
    assert fit.FITS[dsl](without_gpu()) is None
