"""
`kgate compile` as a user starts it, with real compilers: Triton's own, and TileLang where nvcc is not here.

KGATE_TEST_GALLERY_PYTHON names an interpreter with torch and Triton.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.contract.check.shop import Ended, Shop

pytestmark = pytest.mark.real

KERNELS = """\
import tempfile

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a, b, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    i = tl.program_id(0) * TM + tl.arange(0, TM)
    j = tl.program_id(1) * TN + tl.arange(0, TN)
    p = tl.arange(0, TK)
    total = tl.zeros((TM, TN), tl.float32)
    for step in range(tl.cdiv(K, TK)):
        x = tl.load(a + i[:, None] * K + (step * TK + p)[None, :])
        y = tl.load(b + (step * TK + p)[:, None] * N + j[None, :])
        total = tl.dot(x, y, total)
    tl.store(out + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def broken_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) + never_defined)


def tiled(a, b, tile, stages):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    matmul_kernel[grid](a, b, out, m, n, k, *tile, num_stages=stages, num_warps=8)
    return out


def modest(a, b):
    narrow = torch.cuda.get_device_capability(a.device)[0] < 9 or a.data_ptr() % 16 != 0
    return tiled(a, b, (32, 32, 32) if narrow else (64, 64, 32), 2)


def greedy(a, b):
    return tiled(a, b, (128, 128, 64), 7)


def broken(a, b):
    broken_kernel[(1,)](a, a, 16)
    return a


def reader(a, b):
    return modest(a, b * b.abs().max().item())


def reader_built(a, b):
    tempfile.mkdtemp("left")  # and never taken away, as by a compiler that is ended
    return modest(a, b)
"""
ENTRY = """\
  {name}:
    owners: ["@shop/kernels"]
    dsl: triton
    dispatch: shop.kernels:{custom}
    custom: shop.kernels:{custom}
    fallback: torch:matmul
    targets: [cuda]
    args: {{a: {{shape: [M, 256], dtype: float16}}, b: {{shape: [256, 256], dtype: float16}}}}
    workloads: {{one: {{M: 64, source: test}}, two: {{M: 640, source: test}}}}
"""
NAMES = ("modest", "greedy", "broken", "reader")
HOOKED = ENTRY.format(name="hooked", custom="reader") + "    compile: shop.kernels:reader_built\n"
CPU = ENTRY.format(name="small", custom="modest").replace("[cuda]", "[cpu]")


def interpreter(variable: str, package: str) -> str:
    python = os.environ.get(variable, "")
    asked = f"import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ('torch', {package!r}))))"
    if not python or subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip(f"not run: no interpreter with torch and {package}; set {variable} to one")
    return python


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A repository of kernels in Triton."""
    python = interpreter("KGATE_TEST_GALLERY_PYTHON", "triton")
    made = Shop(root=tmp_path_factory.mktemp("shop"), python=python)
    entries = "".join(ENTRY.format(name=name, custom=name) for name in NAMES)
    made.write({"kgate.yaml": f"version: 1\nkernels:\n{entries}{HOOKED}{CPU}", "shop/__init__.py": ""})
    made.write({"shop/kernels.py": KERNELS})
    made.commit("Kernels")
    return made


@pytest.fixture(scope="module")
def everything(compiled: Shop) -> Ended:
    """All kernels for two architectures, in one run."""
    return compiled.kgate("compile", "--arch", "sm_80,sm_90", "--format", "json", "--jobs", "2")


def rows(ended: Ended, kernel: str) -> Sequence[Mapping[str, Any]]:
    return [row for row in json.loads(ended.out)["rows"] if row["kernel"] == kernel]


def test_a_wrapper_that_asks_for_the_gpu_compiles_what_that_gpu_would_run(everything: Ended) -> None:
    found = rows(everything, "modest")

    assert [(row["arch"], row["status"], row["device_kernel"]) for row in found] == [
        ("sm_80", "compiled", "matmul_kernel"),
        ("sm_90", "compiled", "matmul_kernel"),
    ]
    assert all(row["workloads"] == ["one", "two"] and row["registers"] > 0 for row in found)
    narrow, wide = (row["shared_bytes"] for row in found)
    assert 0 < narrow < wide


def test_too_much_shared_memory_is_refused_with_the_numbers_and_only_where_it_is_too_much(everything: Ended) -> None:
    small, large = rows(everything, "greedy")

    # Six of seven stages lie in shared memory: 128 + 128 rows of 64 halves each.
    assert small["shared_bytes"] >= 6 * (128 + 128) * 64 * 2
    assert (small["arch"], small["status"]) == ("sm_80", "failed")
    assert f"{small['shared_bytes']:,} bytes" in small["text"]
    assert "sm_80 has 166,912" in small["text"]
    assert (large["arch"], large["status"]) == ("sm_90", "compiled")


def test_what_the_compiler_refuses_is_said_in_its_words_and_fails(everything: Ended) -> None:
    found = rows(everything, "broken")

    assert [(row["arch"], row["status"], row["workloads"]) for row in found] == [
        ("sm_80", "failed", ["one", "two"]),
        ("sm_90", "failed", ["one", "two"]),
    ]
    assert all("never_defined is not defined" in row["text"] for row in found)
    assert everything.code == 1


def test_a_wrapper_that_reads_values_is_not_run_and_the_way_out_is_named(everything: Ended) -> None:
    found = rows(everything, "reader")

    assert {row["status"] for row in found} == {"not run"}
    assert all(row["text"].startswith("shop.kernels:reader reads the values of a tensor") for row in found)
    assert all("`compile:`" in row["text"] for row in found)


def test_the_function_named_by_compile_is_called_in_its_place(everything: Ended) -> None:
    assert [row["status"] for row in rows(everything, "hooked")] == ["compiled", "compiled"]


def test_kernels_for_the_cpu_alone_are_left_out_and_said(everything: Ended) -> None:
    assert json.loads(everything.out)["left_out"] == {"small": "its targets are cpu alone"}


def test_nothing_is_compiled_again_until_a_file_that_it_rests_on_changes(compiled: Shop, everything: Ended) -> None:
    asked = ("compile", "--arch", "sm_90", "--kernel", "modest", "--kernel", "hooked", "--format", "json")

    again = compiled.kgate(*asked)
    compiled.write({"shop/kernels.py": KERNELS + "\n# a comment\n"})
    changed = compiled.kgate(*asked)

    assert (again.code, changed.code) == (0, 0)
    assert [row["cached"] for row in json.loads(again.out)["rows"]] == [True, True]
    assert [row["cached"] for row in json.loads(changed.out)["rows"]] == [False, False]
    before, after = ([row["code_sha256"] for row in rows(ended, "modest")] for ended in (again, changed))
    assert before == after


def test_what_the_compilers_make_is_kept_where_it_is_asked_for(compiled: Shop, tmp_path: Path) -> None:
    ended = compiled.kgate("compile", "--arch", "sm_90", "--kernel", "modest", "--dump", str(tmp_path / "made"))

    kept = {path.suffix for path in (tmp_path / "made" / "modest" / "one" / "sm_90").iterdir()}
    assert ended.code == 0
    assert {".ptx", ".cubin", ".json"} <= kept


def test_what_compilers_leave_in_their_temporary_folder_goes_away_with_the_run(compiled: Shop, tmp_path: Path) -> None:
    ended = compiled.kgate("compile", "--arch", "sm_90", "--kernel", "hooked", env={"TMPDIR": str(tmp_path)})

    assert ended.code == 0, ended.out + ended.err
    assert list(tmp_path.glob("*left")) == []
    assert not list((compiled.root / ".kgate" / "compile").glob("run-*"))


def test_a_folder_that_cannot_be_written_is_said_before_anything_is_compiled(compiled: Shop, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    ended = compiled.kgate("compile", "--kernel", "small", "--dump", str(tmp_path / "taken" / "inside"))

    assert ended.code == 3
    assert f"--dump {tmp_path}/taken/inside: cannot be written (Not a directory)" in ended.err


def test_nothing_to_compile_is_no_run(compiled: Shop) -> None:
    ended = compiled.kgate("compile", "--kernel", "small")

    assert ended.code == 2
    assert "nothing to compile for sm_80, sm_90, sm_100: small: its targets are cpu alone" in ended.err


def test_an_architecture_that_nobody_knows_is_no_run(compiled: Shop) -> None:
    ended = compiled.kgate("compile", "--arch", "sm_99")

    assert ended.code == 2
    assert "--arch sm_99: no such architecture" in ended.err


TILED = """\
import functools

import tilelang
import tilelang.language as T
import torch


@functools.lru_cache
def built(length):
    @T.prim_func
    def add_kernel(x: T.Tensor((length,), "float32"), y: T.Tensor((length,), "float32")):
        with T.Kernel(1, threads=32) as _:
            for i in T.Parallel(length):
                y[i] = x[i] + 1.0

    return tilelang.compile(add_kernel, target="cuda")


def add(x):
    out = torch.empty_like(x)
    built(x.numel())(x, out)
    return out
"""
TILED_ENTRY = """\
version: 1
kernels:
  add:
    owners: ["@shop/kernels"]
    dsl: tilelang
    dispatch: shop.tiled:add
    custom: shop.tiled:add
    fallback: torch:clone
    targets: [cuda]
    args: {x: {shape: [64], dtype: float32}}
    workloads: {one: {source: test}}
"""


def test_a_compiler_that_is_not_here_is_said_and_is_no_pass(tmp_path: Path) -> None:
    python = interpreter("KGATE_TEST_WORKER_PYTHON", "tilelang")
    shop = Shop(root=tmp_path / "shop", python=python)
    shop.write({"kgate.yaml": TILED_ENTRY, "shop/__init__.py": "", "shop/tiled.py": TILED})
    shop.commit("One kernel")
    hidden = {"CUDA_HOME": str(tmp_path), "CUDA_PATH": None, "PATH": "/usr/bin:/bin"}

    ended = shop.kgate("compile", "--arch", "sm_90", env=hidden)

    assert ended.code == 3, ended.out + ended.err
    assert "not run: " in ended.out
    assert "nvcc" in ended.out
