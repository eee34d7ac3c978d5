"""Kernels found by reading: every way to write one, and what makes it listed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kgate.load import owners
from kgate.load.inventory import in_words_of, inventory
from kgate.load.manifest import load
from kgate.load.marks import in_cuda
from kgate.load.source import Sources
from kgate.model import Inventory

Tree = Callable[..., Inventory]

MANIFEST = """\
version: 1
{top}kernels:
  gelu:
    owners: ["@acme/kernels"]
    dsl: {dsl}
    dispatch: acme.ops:gelu
    custom: acme.gelu:fused
    fallback: acme.ops:eager
    workloads: {{}}
"""
OPS = "def gelu(x):\n    return x\n\n\ndef eager(x):\n    return x\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """`tree({path: text})`: the inventory of a repository that holds these files and a small manifest."""
    (tmp_path / ".git").mkdir()

    def made(files: dict[str, str], *, top: str = "", dsl: str = "triton") -> Inventory:
        everything = {"kgate.yaml": MANIFEST.format(top=top, dsl=dsl), "acme/ops.py": OPS, **files}
        for name, text in everything.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        names = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
        return inventory(load(tmp_path / "kgate.yaml"), names, owners.read(tmp_path, names))

    return made


def told(found: Inventory) -> list[tuple[str, str, bool]]:
    return [(f.name, f.how, f.listed) for f in found.found]


KINDS = {
    "import tilelang\n\n@tilelang.jit\ndef gemm(M):\n    return M\n": ("gemm", "tilelang.jit"),
    "from tilelang import jit\n\n@jit(out_idx=[-1])\ndef gemm(M):\n    return M\n": ("gemm", "tilelang.jit"),
    "import tilelang.language as T\n\ndef gemm(M):\n    @T.prim_func\n    def main():\n        pass\n": (
        "gemm",
        "T.prim_func",
    ),
    "from tilelang import language as T\n\n@T.prim_func\ndef main():\n    pass\n": ("main", "T.prim_func"),
    "import cuda.tile as ct\n\n@ct.kernel\ndef add(x):\n    pass\n": ("add", "ct.kernel"),
    "from cuda import tile\n\n@tile.kernel(occupancy=2)\ndef add(x):\n    pass\n": ("add", "ct.kernel"),
    "import triton\n\n@triton.jit\ndef k(x):\n    pass\n": ("k", "triton.jit"),
    "import triton as t\n\n@t.autotune(configs=[], key=[])\n@t.jit\ndef k(x):\n    pass\n": ("k", "triton.autotune"),
    "from triton import jit as compiled\n\n@compiled\ndef k(x):\n    pass\n": ("k", "triton.jit"),
    "import triton\n\ndef k(x):\n    pass\n\nfast = triton.jit(k)\n": ("fast", "triton.jit"),
    "import cutlass.cute as cute\n\n@cute.kernel\ndef k(x):\n    pass\n": ("k", "cute.kernel"),
    "from cutlass import cute\n\nclass Gemm:\n    @cute.jit\n    def __call__(self, x):\n        pass\n": (
        "Gemm",
        "cute.jit",
    ),
    "import torch\n\n@torch.library.custom_op('acme::k', mutates_args=())\ndef k(x):\n    return x\n": (
        "k",
        "torch.library.custom_op",
    ),
    "from torch.library import custom_op\n\n@custom_op('acme::k', mutates_args=())\ndef k(x):\n    return x\n": (
        "k",
        "torch.library.custom_op",
    ),
    "from torch.library import Library\nlib = Library('acme', 'DEF')\nlib.define('norm(Tensor x) -> Tensor')\n": (
        "norm",
        "Library.define",
    ),
    "import torch\nlib = torch.library.Library('acme', 'IMPL')\n\ndef norm(x):\n    return x\n\n"
    "lib.impl('norm', norm, 'CUDA')\n": ("norm", "Library.impl"),
    "if True:\n    import triton\n\n    @triton.jit\n    def k(x):\n        pass\n": ("k", "triton.jit"),
}


@pytest.mark.parametrize(("source", "expected"), KINDS.items(), ids=[f"{how}-{n}" for n, how in enumerate(KINDS)])
def test_a_kernel_is_found_however_it_is_written_and_imported(
    tree: Tree, source: str, expected: tuple[str, str]
) -> None:
    assert told(tree({"acme/other.py": source})) == [(*expected, False)]


@pytest.mark.parametrize(
    "source",
    [
        "def jit(f):\n    return f\n\n@jit\ndef k(x):\n    pass\n",
        "from numba import jit\n# not triton\n\n@jit\ndef k(x):\n    pass\n",
        "# @triton.jit\ndef k(x):\n    '''import triton'''\n",
        "import triton\n\n@triton.jit\ndef k(x:\n",
        "import triton\nprint(triton.__version__)\n",
    ],
)
def test_what_only_looks_like_one_and_what_cannot_be_read_is_passed_over(tree: Tree, source: str) -> None:
    assert told(tree({"acme/other.py": source})) == []


@pytest.mark.parametrize("name", ["tests/test_gelu.py", "acme/test_gelu.py", "acme/tests/other.py", "conftest.py"])
def test_tests_are_not_looked_at(tree: Tree, name: str) -> None:
    assert told(tree({name: "import triton\n\n@triton.jit\ndef k(x):\n    pass\n"})) == []


TRITON = "import triton\n\n@triton.jit\ndef _gelu(x):\n    pass\n\n"
LISTED = {
    "called by name": {"acme/gelu.py": TRITON + "def fused(x):\n    _gelu[(1,)](x)\n"},
    "imported": {"acme/k.py": TRITON, "acme/gelu.py": "from acme.k import _gelu\n\ndef fused(x):\n    _gelu(x)\n"},
    "relative": {"acme/k.py": TRITON, "acme/gelu.py": "from . import k\n\ndef fused(x):\n    k._gelu(x)\n"},
    "through a package": {
        "acme/k/__init__.py": "from acme.k.one import _gelu\n",
        "acme/k/one.py": TRITON,
        "acme/gelu.py": "import acme.k as kernels\n\ndef fused(x):\n    kernels._gelu(x)\n",
    },
    "starred": {"acme/k.py": TRITON, "acme/gelu.py": "from acme.k import *\n\ndef fused(x):\n    _gelu(x)\n"},
    "late": {"acme/k.py": TRITON, "acme/gelu.py": "def fused(x):\n    from acme.k import _gelu\n    _gelu(x)\n"},
    "by text": {
        "acme/k.py": TRITON,
        "acme/gelu.py": "import importlib\n\ndef fused(x):\n    importlib.import_module('acme.k')._gelu(x)\n",
    },
    "in a table": {"acme/gelu.py": TRITON + "KERNELS = {'gelu': _gelu}\n\ndef fused(x):\n    KERNELS['gelu'](x)\n"},
    "registered": {
        "acme/gelu.py": "import triton\nTABLE = {}\n\ndef register(f):\n    TABLE['gelu'] = f\n    return f\n\n"
        "@register\n@triton.jit\ndef _gelu(x):\n    pass\n\ndef fused(x):\n    TABLE['gelu'](x)\n"
    },
    "as an operator": {
        "acme/k.py": "import torch\n\n@torch.library.custom_op('acme::gelu')\ndef _gelu(x):\n    pass\n",
        "acme/gelu.py": "import torch\nimport acme.k\n\ndef fused(x):\n    return torch.ops.acme.gelu(x)\n",
    },
}


@pytest.mark.parametrize("files", LISTED.values(), ids=LISTED)
def test_a_kernel_that_an_entry_reaches_is_listed(tree: Tree, files: dict[str, str]) -> None:
    assert [listed for _, _, listed in told(tree(files))] == [True]


def test_a_second_kernel_in_the_file_of_a_listed_one_is_not_listed(tree: Tree) -> None:
    source = TRITON + "@triton.jit\ndef spare(x):\n    pass\n\ndef fused(x):\n    _gelu(x)\n"

    found = tree({"acme/gelu.py": source}).found

    assert [(f.name, f.listed, str(f.place)) for f in found] == [
        ("_gelu", True, "acme/gelu.py:3"),
        ("spare", False, "acme/gelu.py:7"),
    ]


CUDA = """\
// __global__ void not_me(int n) {}
template <typename T>
__global__ void __launch_bounds__(256, 2) gelu_kernel(const T* x, T* y, int n) { }
static __global__ void tail(float* y) { }
void host(float* y) { gelu_kernel<<<1, 2>>>(y, y, 3); }
"""


def test_global_functions_are_found_past_attributes_and_comments() -> None:
    assert in_cuda(CUDA) == ("gelu_kernel", "tail")
    assert in_cuda("void host() {}") == ()


@pytest.mark.parametrize(
    ("files", "dsl", "listed"),
    [
        ({}, "cuda", False),
        (
            {"acme/gelu.py": "from torch.utils import load\n\ndef fused(x):\n    load('e', ['csrc/gelu.cu'])\n"},
            "cuda",
            True,
        ),
        ({"setup.py": "CUDAExtension('acme._C', ['csrc/gelu.cu'])\n"}, "cuda", True),
        ({"setup.py": "CUDAExtension('acme._C', ['csrc/gelu.cu'])\n"}, "triton", False),
        ({"CMakeLists.txt": "add_library(k csrc/gelu.cu)\n"}, "cuda", True),
    ],
)
def test_a_cuda_source_is_listed_where_what_is_built_or_loaded_names_it(
    tree: Tree, files: dict[str, str], dsl: str, listed: bool
) -> None:
    assert told(tree({"csrc/gelu.cu": CUDA, **files}, dsl=dsl)) == [("gelu_kernel", "__global__", listed)]


def test_a_cuda_source_is_not_listed_for_another_whose_name_ends_like_its_own(tree: Tree) -> None:
    files = {"setup.py": "CUDAExtension('acme._C', ['csrc/layernorm.cu'])\n", "csrc/norm.cu": CUDA}

    assert [listed for _, _, listed in told(tree(files, dsl="cuda"))] == [False]


def test_what_a_listed_cuda_source_includes_is_listed(tree: Tree) -> None:
    files = {
        "setup.py": "CUDAExtension('acme._C', ['csrc/gelu.cu'])\n",
        "csrc/gelu.cu": '#include "parts/tail.cuh"\n',
        "csrc/parts/tail.cuh": CUDA,
        "csrc/parts/spare.cuh": CUDA,
    }

    found = tree(files, dsl="cuda").found

    assert {f.place.path: f.listed for f in found} == {"csrc/parts/tail.cuh": True, "csrc/parts/spare.cuh": False}


def test_an_operator_of_another_namespace_is_another(tree: Tree) -> None:
    files = {
        "acme/k.py": "import torch\n\n@torch.library.custom_op('acme::gelu')\ndef _gelu(x):\n    pass\n",
        "acme/gelu.py": "import torch\n\ndef fused(x):\n    return torch.ops.aten.gelu(x)\n",
    }

    assert [listed for _, _, listed in told(tree(files))] == [False]


def test_an_ignored_kernel_carries_its_line_and_the_file_its_codeowners(tree: Tree) -> None:
    top = "ignore:\n  - {path: examples/, reason: shown only, expires: 2027-06-30}\n"
    files = {"examples/k.py": TRITON, "CODEOWNERS": "/examples/ @acme/docs\n"}

    (found,) = tree(files, top=top).found

    assert found.ignored is not None
    assert (found.ignored.reason, found.ignored.expires, found.ignored.place.line) == ("shown only", "2027-06-30", 3)
    assert found.owners == ("@acme/docs",)


def test_an_entry_whose_code_is_gone_is_named_and_code_of_others_is_let_be(tree: Tree, tmp_path: Path) -> None:
    assert tree({"acme/__init__.py": ""}).gone == {"gelu": "acme.gelu:fused"}
    assert tree({"acme/gelu.py": "def other(x):\n    pass\n"}).gone == {"gelu": "acme.gelu:fused"}
    assert tree({"acme/gelu.py": "from acme.ops import eager as fused\n"}).gone == {}
    assert Sources(folder=tmp_path).has("torch.nn.functional:gelu")


def test_a_kernel_of_another_manifest_below_is_that_manifests(tree: Tree) -> None:
    assert told(tree({"libs/norm/kgate.yaml": "version: 1\n", "libs/norm/norm/k.py": TRITON})) == []


def test_a_file_that_was_renamed_keeps_its_kernels_old_and_another_of_its_name_does_not(
    tree: Tree, tmp_path: Path
) -> None:
    old = tree({"acme/old.py": TRITON})
    (tmp_path / "acme/old.py").unlink()
    new = tree({"acme/new.py": "# moved\n" + TRITON})
    other = tree({"acme/new.py": TRITON.replace("pass", "x += 1")})

    assert [f.identity for f in in_words_of(new, old).found] == ["acme/new.py:_gelu"]
    assert [f.identity for f in in_words_of(other, old).found] == ["acme/old.py:_gelu"]
