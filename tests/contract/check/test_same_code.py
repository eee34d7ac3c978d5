"""
What is compiled here for a GPU that is not here is what that GPU ran: the same machine code, by its hash.

h200.json holds what `kgate check --dump` wrote on an H200. A kernel of the gallery that changes has to be measured
there again, and its record with it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

RECORD = json.loads(Path(__file__).with_name("h200.json").read_text())
NVCC = RECORD["compilers"]["nvcc"]
# Plain loads, a reduction, and tensor cores fed by the copy engine; at night all that were recorded.
SAMPLED = ("vector_add_tilelang/residual", "rms_norm_tilelang/hidden", "gemm_tilelang/square4096")
CASES = tuple(RECORD["kernels"]) if "KGATE_NIGHTLY" in os.environ else SAMPLED
PROGRAM = """\
import importlib.metadata as m, nvidia.cu13
print(m.version("nvidia-cuda-nvcc"), m.version("tilelang"), next(iter(nvidia.cu13.__path__)))
"""


@pytest.fixture
def toolkit(worker_python: str) -> str:
    """The folder of the record's nvcc, beside the record's TileLang: others make other code."""
    found = subprocess.run([worker_python, "-c", PROGRAM], capture_output=True, text=True, check=False).stdout.split()
    wanted = [NVCC, RECORD["compilers"]["tilelang"]]
    if found[:2] != wanted:
        pytest.skip(f"not run: KGATE_TEST_WORKER_PYTHON needs nvidia-cuda-nvcc {wanted[0]} and tilelang {wanted[1]}")
    return found[2]


def test_machine_code_made_without_the_gpu_is_what_an_h200_ran(staged, toolkit: str, tmp_path: Path) -> None:
    shop = staged("gallery")
    kernels, workloads = (sorted({case.split("/")[part] for case in CASES}) for part in (0, 1))
    chosen = [word for name in kernels for word in ("--kernel", name)]
    chosen += [word for name in workloads for word in ("--workload", name)]

    command = ("compile", "--arch", "sm_90", *chosen, "--dump", str(tmp_path / "made"))

    ended = shop.ended(shop.started(*command, env={"CUDA_HOME": toolkit}), 1800)

    assert ended.code == 0, ended.out + ended.err
    for case in CASES:
        made = json.loads((tmp_path / "made" / case / "sm_90" / "kernels.json").read_text())
        found = [{name: kernel[name] for name in wanted} for kernel, wanted in zip(made, ran(case), strict=True)]
        assert found == ran(case), case


def ran(case: str) -> list[dict[str, object]]:
    return list(RECORD["kernels"][case])
