"""The reader of cubin files, against what ptxas says of the same kernels while it compiles them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kgate.worker import cubin

pytestmark = pytest.mark.real

KERNEL = re.compile(
    r"Compiling entry function '(?P<kernel>\w+)'"
    r".*?Used (?P<registers>\d+) registers(?P<more>[^\n]*)",
    re.DOTALL,
)
# Of all that a hash has to see or to pass over: bank 3, a table in global memory, a jump table, a call, an assertion.
SOURCE = """
#include <cassert>
static __constant__ float weights[4] = {1, 2, 3, 4};
__device__ float start[3] = {5, 6, 7};
namespace { __device__ int state[5]; }

extern "C" __global__ void plain(const float* a, float* b, int n) {
  assert(n > 3);
  b[n] = a[n] * weights[n & 3] + start[n & 1] + state[n & 3]++;
}

__noinline__ __device__ float deep(float x, int n) {
  volatile float kept[8];
  for (int i = 0; i < 8; i++) kept[i] = x * i;
  return kept[n & 7];
}

extern "C" __global__ void calling(float* b, int n) { b[0] = deep(b[1], n); }

extern "C" __global__ void branching(int* b, int n) {
  switch (n) {
    case 0: b[0] = b[1] * 3; break;
    case 1: b[2] = __popc(b[5]); break;
    case 2: b[7] = b[8] / b[9]; break;
    case 3: b[11] = b[12] % b[9]; break;
    case 4: b[13] = __brev(b[2]); break;
    case 5: b[3] = 7; break;
  }
}

extern "C" __global__ void shared(const float* a, float* b) {
  __shared__ float kept[300];
  extern __shared__ float more[];
  kept[threadIdx.x] = a[threadIdx.x] + more[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = kept[299 - threadIdx.x];
}

extern "C" __global__ void spilled(const float* a, float* b, int n) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = a[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; i++) b[i * n + threadIdx.x] = v[i] * v[63 - i];
}
"""


@pytest.fixture(scope="module")
def nvcc():
    """On PATH, or the one that pip has put beside the DSLs."""
    named = os.environ.get("KGATE_TEST_GALLERY_PYTHON")
    beside = list(Path(named).parents[1].glob("lib/python*/site-packages/nvidia/cu*/bin/nvcc")) if named else []
    found = shutil.which("nvcc") or next(iter(beside), None)
    if found is None:
        pytest.skip("not run: nvcc is neither on PATH nor beside KGATE_TEST_GALLERY_PYTHON")
    return Path(found)


def compiled(nvcc, arch, folder, source=SOURCE):
    """The cubin, and what ptxas said."""
    folder.mkdir(parents=True)
    (folder / "kernels.cu").write_text(source)
    asked = [nvcc, f"-arch={arch}", "-cubin", "-lineinfo", "-maxrregcount=32", "-Xptxas", "-v"]
    included = ["-I", nvcc.parents[1] / "include"]
    done = subprocess.run(
        [*asked, *included, folder / "kernels.cu", "-o", folder / "kernels.cubin"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (folder / "kernels.cubin").read_bytes(), done.stderr


def said(text, what):
    found = re.search(rf"(\d+) bytes {what}", text)
    return int(found[1]) if found else 0


def hashes(data):
    return {code.kernel: code.code_sha256 for code in cubin.read(data)}


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_registers_and_memory_are_what_ptxas_says(nvcc, tmp_path, arch):
    data, text = compiled(nvcc, arch, tmp_path / "here")

    expected = {
        found["kernel"]: (
            int(found["registers"]),
            said(found["more"], "smem"),
            said(found["more"], "cumulative stack size"),
        )
        for found in KERNEL.finditer(text)
    }
    assert expected["shared"][1] == 1200
    assert expected["spilled"][2] > 0
    assert {c.kernel: (c.registers, c.shared_bytes, c.local_bytes) for c in cubin.read(data)} == expected


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_the_same_code_from_two_folders_has_the_same_hash(nvcc, tmp_path, arch):
    here, _ = compiled(nvcc, arch, tmp_path / "here")
    there, _ = compiled(nvcc, arch, tmp_path / "in another place" / "of a longer name")

    assert here != there
    assert hashes(here) == hashes(there)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("b[1] * 3", "b[1] * 5", {"branching"}),
        ("start[3] = {5,", "start[3] = {8,", {"plain", "calling", "branching", "shared", "spilled"}),
        ("[4] = {1,", "[4] = {9,", {"plain", "calling", "branching", "shared", "spilled"}),
        ("case 0: b[0]", "case 9: b[0]", {"branching"}),
        ("assert(n > 3);", "assert(n  >  3);  // said otherwise", set()),
    ],
)
def test_what_a_kernel_computes_with_is_in_its_hash(nvcc, tmp_path, before, after, changed):
    first, second = (
        hashes(compiled(nvcc, "sm_90", tmp_path / folder, source)[0])
        for folder, source in (("first", SOURCE), ("second", SOURCE.replace(before, after)))
    )

    assert {kernel for kernel in first if first[kernel] != second[kernel]} == changed
