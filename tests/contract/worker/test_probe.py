"""Mode "probe": who this interpreter is, also where it has no torch."""

import sys

import pytest

from kgate.protocol import Identity, Job
from kgate.worker.adapters import ADAPTERS, shared_compilers

pytestmark = pytest.mark.real


def identity_of(ended) -> Identity:
    (found,) = [r for r in ended.replies if isinstance(r, Identity)]
    return found


def test_a_cpu_is_told_by_its_model_its_threads_and_the_toolchain(bench):
    job = Job(mode="probe", arm="head", tree=str(bench.tree), device="cpu")

    identity = identity_of(bench.run(bench.written(job)))

    assert {"device", "cpu", "cores", "threads", "torch", "timer", "inputs"} <= set(identity.must_match)
    assert identity.must_match["timer"] == "cpu-monotonic"
    assert identity.adapters["torch"] == identity.devices["cpu"] == ""
    assert set(identity.adapters) >= set(ADAPTERS)
    assert identity.devices["hip"].startswith("AMD GPUs are not supported")
    assert identity.information["interpreter"] == bench.python[0]


def test_a_probe_works_without_torch_and_says_so(archive, bench):
    bare = type(bench)(python=[sys.executable, "-I", "-S"], archive=archive, new_folder=bench.new_folder)
    job = Job(mode="probe", arm="head", tree=str(bench.tree), device="cpu")

    identity = identity_of(bare.run(bare.written(job)))

    assert identity.adapters["torch"] == f"torch is not installed for {sys.executable}"
    assert identity.devices["cpu"] == "cpu: ModuleNotFoundError: No module named 'torch'"
    assert identity.must_match == {"inputs": "philox4x32-10"}


def test_the_nvcc_that_several_dsls_call_is_told_where_there_is_one(tmp_path, monkeypatch):
    tool = tmp_path / "bin" / "nvcc"
    tool.parent.mkdir()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))

    assert shared_compilers() == {}
    tool.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
    tool.chmod(0o755)
    assert shared_compilers() == {"nvcc": "13.0.88"}
