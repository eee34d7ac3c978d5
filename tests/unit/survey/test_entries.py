"""Entries from code as people write it: each case is a repository of a few lines."""

from pathlib import Path

import pytest

from kgate.survey import Subject, survey
from tests.unit.survey.trees import names, written

TRITON = "import triton\n\n@triton.jit\ndef _gelu_kernel(x):\n    pass\n\n"
EAGER = "def eager(x):\n    return x\n\n"


def subjects(folder: Path, files: dict[str, str]) -> list[Subject]:
    root = written(folder, files)
    return list(survey(root, names(root)).subjects)


def told(found: list[Subject]) -> list[tuple[str, str, str, str]]:
    return [
        (
            s.entry.name,
            s.entry.dispatch.text,
            s.entry.custom.text if s.entry.custom else "",
            s.entry.fallback.text if s.entry.fallback else "",
        )
        for s in found
    ]


CHOICES = {
    "branches": "    if fast(x):\n        return fused(x)\n    return eager(x)\n",
    "an expression": "    return fused(x) if fast(x) else eager(x)\n",
    "a callee that is chosen": "    return (fused if fast(x) else eager)(x)\n",
    "a name for the callee": "    path = fused if fast(x) else eager\n    return path(x)\n",
    "a result that is kept": (
        "    if fast(x):\n        out = fused(x.contiguous())\n    else:\n        out = eager(x)\n    return out\n"
    ),
    "an error": "    try:\n        return fused(x)\n    except RuntimeError:\n        return eager(x)\n",
    "functions handed on": "    return answered(fused, eager, x)\n",
}


@pytest.mark.parametrize("body", CHOICES.values(), ids=CHOICES)
def test_a_function_that_chooses_is_what_the_product_calls(tmp_path: Path, body: str) -> None:
    helpers = "def fast(x):\n    return x.is_cuda\n\ndef answered(first, second, *args):\n    return first(*args)\n\n"
    source = TRITON + "def fused(x):\n    _gelu_kernel[(1,)](x)\n    return x\n\n" + EAGER + helpers

    found = subjects(tmp_path, {"acme/__init__.py": "", "acme/gelu.py": f"{source}def gelu(x):\n{body}"})

    assert told(found) == [("gelu", "acme.gelu:gelu", "acme.gelu:fused", "acme.gelu:eager")]


def test_a_fallback_that_stands_within_the_dispatcher_has_no_name_and_is_asked_for(tmp_path: Path) -> None:
    source = (
        TRITON
        + "import torch\n\ndef gelu(x):\n    if x.is_cuda:\n        return _fused(x)\n    return torch.relu(x) * 2\n\n"
    )

    found = subjects(tmp_path, {"gelu.py": f"{source}def _fused(x):\n    _gelu_kernel[(1,)](x)\n"})

    assert told(found) == [("gelu", "gelu:gelu", "gelu:_fused", "")]


def test_torch_itself_is_a_fallback_where_it_takes_the_same_arguments(tmp_path: Path) -> None:
    source = (
        TRITON + "import torch.nn.functional as F\n\ndef gelu(x):\n    return _fused(x) if x.is_cuda else F.gelu(x)\n\n"
    )

    found = subjects(tmp_path, {"gelu.py": f"{source}def _fused(x):\n    _gelu_kernel[(1,)](x)\n"})

    assert told(found) == [("gelu", "gelu:gelu", "gelu:_fused", "torch.nn.functional:gelu")]


@pytest.mark.parametrize("plain", ["gelu_ref", "naive_gelu", "gelu_torch", "eager_gelu"])
def test_a_plain_version_is_known_by_its_name_and_its_arguments(tmp_path: Path, plain: str) -> None:
    source = TRITON + "def fused_gelu(x):\n    _gelu_kernel[(1,)](x)\n\n"
    others = "def gelu_reference_cost(x, y, z):\n    return 3\n\n"

    found = subjects(tmp_path, {"gelu.py": f"{source}{others}def {plain}(x):\n    return x\n"})

    assert told(found) == [("fused_gelu", "gelu:fused_gelu", "gelu:fused_gelu", f"gelu:{plain}")]


A, B = "def a(x):\n    _gelu_kernel[(1,)](x)\n\n", "def b(x):\n    return x\n\n"
TABLES = {
    "a decorator": f"@register('gelu', 'triton')\n{A}@register('gelu', 'torch')\n{B}",
    "calls": f"{A}{B}register('gelu', 'triton', a)\nregister('gelu', 'ref', b)\n",
    "a literal": f"{A}{B}TABLE = {{'gelu': {{'triton': a, 'torch': b}}}}\n",
    "tuples": f"{A}{B}TABLE = {{('gelu', 'triton'): a, ('gelu', 'torch'): b}}\n",
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_of_implementations_tells_both_paths(tmp_path: Path, table: str) -> None:
    lookup = "from table import find\n\ndef gelu(x):\n    return find('gelu')(x)\n"
    register = "def register(*names):\n    return lambda f: f\n\ndef find(name):\n    return None\n"

    found = subjects(
        tmp_path, {"k.py": f"from table import register\n{TRITON}{table}", "ops.py": lookup, "table.py": register}
    )

    assert told(found) == [("gelu", "ops:gelu", "k:a", "k:b")]


def test_another_implementation_that_no_label_calls_plain_is_told_with_that_doubt(tmp_path: Path) -> None:
    source = f"{TRITON}{A}{B}TABLE = {{'gelu': {{'triton': a, 'vendor': b}}}}\n"

    (found,) = subjects(tmp_path, {"k.py": source})

    assert found.entry.fallback is not None
    assert found.entry.fallback.text == "k:b"
    assert found.entry.fallback.why.endswith("; no label says that it is the plain one")


def test_a_function_of_kgate_dispatch_tells_its_paths_itself(tmp_path: Path) -> None:
    ops = "from kgate_dispatch import dispatch\n\n@dispatch(custom='acme.k:fused')\ndef gelu(x):\n    return x\n"
    kernels = TRITON + "def fused(x):\n    _gelu_kernel[(1,)](x)\n"

    found = subjects(tmp_path, {"acme/__init__.py": "", "acme/ops.py": ops, "acme/k.py": kernels})

    assert told(found) == [("gelu", "acme.ops:gelu", "", "")]
    assert found[0].entry.dsl == "triton"


DSLS = {
    "tilelang": "import tilelang\n\n@tilelang.jit\ndef k(n):\n    return n\n\ndef add(x):\n    k(1)(x)\n",
    "cutile": "import cuda.tile as ct\n\n@ct.kernel\ndef k(x):\n    pass\n\ndef add(x):\n    ct.launch(k, (x,))\n",
    "cutedsl": "import cutlass.cute as cute\n\n@cute.jit\ndef k(x):\n    pass\n\ndef add(x):\n    k(x)\n",
    "cuda": (
        "from torch.utils.cpp_extension import load\n\nlib = load('lib', ['csrc/add.cu'])\n\n"
        "def add(x):\n    return lib.add(x)\n"
    ),
}


@pytest.mark.parametrize(("dsl", "source"), DSLS.items(), ids=DSLS)
def test_each_dsl_is_known_by_what_marks_its_kernels(tmp_path: Path, dsl: str, source: str) -> None:
    (found,) = subjects(tmp_path, {"ops.py": source, "csrc/add.cu": "__global__ void add_k(float* x) {}\n"})

    assert found.entry.dsl == dsl
    assert found.entry.custom is not None
    assert found.entry.custom.text == "ops:add"


def test_a_module_that_setup_builds_is_cuda(tmp_path: Path) -> None:
    setup = "CUDAExtension('acme._C', ['csrc/add.cu'])\n"
    files = {
        "setup.py": setup,
        "csrc/add.cu": "__global__ void add_k(float* x) {}\n",
        "acme/__init__.py": "",
        "acme/ops.py": "from acme import _C\n\ndef add(x, y):\n    return _C.add(x, y)\n",
    }

    (found,) = subjects(tmp_path, files)

    assert (found.entry.dsl, found.entry.device) == ("cuda", ("add_k",))


def test_two_functions_of_one_name_get_entries_of_their_own(tmp_path: Path) -> None:
    source = TRITON + "def gelu(x):\n    _gelu_kernel[(1,)](x)\n"

    found = subjects(tmp_path, {"a.py": source, "b.py": source})

    assert [s.entry.name for s in found] == ["gelu", "b_gelu"]
