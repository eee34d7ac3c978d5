"""The gallery through the gate, as far as a machine without a GPU goes."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.real

NIGHTLY = "KGATE_NIGHTLY" in os.environ
# One that sums over rows, and one with tiles and a bias; at night all that have a schedule for the CPU.
KERNELS = ("*_cpu",) if NIGHTLY else ("softmax_tilelang_cpu", "linear_gelu_tilelang_cpu")
COMPILERS = ("triton", "cuda.tile", "nvidia.cu13")


def test_kernels_with_a_cpu_schedule_are_right_on_all_their_workloads(staged) -> None:
    chosen = [word for name in KERNELS for word in ("--kernel", name)]

    ended = staged("gallery").check("--device", "cpu", *chosen)

    assert ended.code == 0, ended.out + ended.err
    assert ended.report["verdict"] == "pass"
    heads = [arm["outcome"]["kind"] for case in ended.report["cases"] for arm in case["arms"] if arm["arm"] == "head"]
    assert len(heads) >= 8
    assert set(heads) == {"measurement"}


@pytest.mark.skipif(not NIGHTLY, reason="not run: takes minutes; KGATE_NIGHTLY=1 compiles the whole gallery")
def test_every_kernel_compiles_for_ampere_hopper_and_blackwell(staged, worker_python: str) -> None:
    asked = "import importlib.util as u, sys; sys.exit(not all(u.find_spec(name) for name in sys.argv[1:]))"
    if subprocess.run([worker_python, "-c", asked, *COMPILERS], check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("not run: KGATE_TEST_WORKER_PYTHON lacks Triton, cuTile, or nvcc from pip")
    shop = staged("gallery")

    ended = shop.ended(shop.started("compile", "--arch", "sm_80,sm_90,sm_100"), limit_s=1800)

    assert ended.code == 0, ended.out + ended.err
