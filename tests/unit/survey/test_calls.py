"""Arguments and workloads from how tests call a function."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kgate.survey import survey
from kgate.survey.calls import Use
from tests.unit.survey.trees import names, written

SOURCE = "import triton\n\n@triton.jit\ndef _k(x):\n    pass\n\ndef op({parameters}):\n    _k[(1,)](x)\n"


def used(folder: Path, test: str, parameters: str = "x, y=None, eps=1e-5") -> Use | None:
    head = "import pytest\nimport torch\nfrom ops import op\n\n"
    root = written(folder, {"ops.py": SOURCE.format(parameters=parameters), "tests/test_ops.py": head + test})
    (subject,) = survey(root, names(root)).subjects
    return subject.use


def tensor(*shape: Any, dtype: str = "float32", **others: Any) -> Mapping[str, Any]:
    return {"shape": list(shape), "dtype": dtype, **others}


READ = {
    "x = torch.randn(4, 8)\n    op(x)": {"x": tensor(4, 8)},
    "x = torch.randn((4, 8), dtype=torch.half)\n    op(x)": {"x": tensor(4, 8, dtype="float16")},
    "op(torch.rand(size=(3,)).cuda().bfloat16())": {"x": tensor(3, dtype="bfloat16", uniform={"low": 0, "high": 1})},
    "n = 4\n    m = n * 2 + 1\n    op(torch.randn(m, n))": {"x": tensor(9, 4)},
    "m, n = 3, 5\n    op(torch.randn([m, n]))": {"x": tensor(3, 5)},
    "x = torch.randn(4)\n    op(x, torch.empty_like(x), 1e-3)": {"x": tensor(4), "y": tensor(4), "eps": 1e-3},
    "op(torch.randn(4), eps=-2)": {"x": tensor(4), "y": None, "eps": -2},
    "op(torch.randint(0, 9, (4,)))": {"x": tensor(4, dtype="int64", integers={"high": 9})},
    "op(torch.randint(-3, 9, (4,), dtype=torch.int32))": {
        "x": tensor(4, dtype="int32", integers={"low": -3, "high": 9})
    },
    "op(torch.randn(4) * 0.5)": {"x": tensor(4, scale=0.5)},
    "op(torch.randn(4, device='cuda').to(torch.float16).requires_grad_())": {"x": tensor(4, dtype="float16")},
}


@pytest.mark.parametrize(("body", "args"), READ.items(), ids=[str(n) for n in range(len(READ))])
def test_a_call_is_read_as_a_manifest_writes_it(tmp_path: Path, body: str, args: Mapping[str, Any]) -> None:
    use = used(tmp_path, f"def test_op():\n    {body}\n")

    assert use is not None
    assert use.args == args


UNREAD = [
    "op(*inputs())",
    "op(make(4))",
    "op(torch.load('x.pt'))",
    "op(torch.randn(size()))",
    "op(torch.randn(4), other=3)",
    "op(3)",
]


@pytest.mark.parametrize("body", UNREAD)
def test_what_cannot_be_told_without_running_it_is_left_out(tmp_path: Path, body: str) -> None:
    assert used(tmp_path, f"def test_op():\n    {body}\n") is None


def test_the_first_call_that_can_be_read_counts(tmp_path: Path) -> None:
    use = used(tmp_path, "def test_a():\n    op(make())\n\ndef test_b():\n    op(torch.randn(7))\n")

    assert use is not None
    assert (use.test, use.args) == ("test_b", {"x": tensor(7)})


def test_what_is_parametrized_is_a_symbol_and_each_set_a_row(tmp_path: Path) -> None:
    use = used(
        tmp_path,
        "@pytest.mark.parametrize('M,N', [(1, 8), pytest.param(2, 9, id='odd')])\n"
        "@pytest.mark.parametrize('dtype', [torch.float16, torch.float32])\n"
        "@pytest.mark.parametrize('unused', range(3))\n"
        "def test_op(M, N, dtype, unused):\n    op(torch.randn(M, 2 * N, dtype=dtype))\n",
    )

    assert use is not None
    assert use.args == {"x": tensor("M", "2 * N", dtype="dtype")}
    assert [dict(sorted(row.items())) for row in use.rows] == [
        {"M": m, "N": n, "dtype": dtype} for m, n in ((1, 8), (2, 9)) for dtype in ("float16", "float32")
    ]


def test_a_shape_that_is_a_tuple_becomes_a_symbol_for_each_part(tmp_path: Path) -> None:
    use = used(
        tmp_path,
        "@pytest.mark.parametrize('shape', [(1, 8), (2, 9)])\n"
        "def test_op(shape):\n    rows, columns = shape\n    op(torch.randn(shape), torch.randn(columns))\n",
    )

    assert use is not None
    assert use.args == {"x": tensor("shape0", "shape1"), "y": tensor("shape1")}
    assert use.rows == ({"shape0": 1, "shape1": 8}, {"shape0": 2, "shape1": 9})


def test_a_loop_over_a_literal_is_read_and_a_choice_that_is_no_size_takes_its_first(tmp_path: Path) -> None:
    use = used(
        tmp_path,
        "@pytest.mark.parametrize('flag', [True, False])\n"
        "def test_op(flag):\n    for n in (4, 5):\n        op(torch.randn(n), flag)\n",
    )

    assert use is not None
    assert use.args == {"x": tensor("n"), "y": True}
    assert use.rows == ({"n": 4}, {"n": 5})


def test_a_program_at_the_end_of_a_module_shows_a_call_as_well(tmp_path: Path) -> None:
    ops = SOURCE.format(parameters="x") + "\nif __name__ == '__main__':\n    import torch\n    op(torch.randn(4, 4))\n"
    root = written(tmp_path, {"ops.py": ops})

    (subject,) = survey(root, names(root)).subjects

    assert subject.use is not None
    assert subject.use.args == {"x": tensor(4, 4)}


def test_a_buffer_without_values_is_one_that_the_function_writes(tmp_path: Path) -> None:
    use = used(tmp_path, "def test_op():\n    x = torch.randn(4)\n    out = torch.empty_like(x)\n    op(x, out)\n")

    assert use is not None
    assert use.mutates == ("y",)


def test_what_a_test_compares_with_is_kept_with_where_it_stands(tmp_path: Path) -> None:
    use = used(
        tmp_path,
        "def plain(x):\n    return x\n\ndef test_op():\n    x = torch.randn(4)\n    assert op(x) == plain(x)\n",
    )

    assert use is not None
    assert (use.twin, use.by_test) == ("", "plain in tests/test_ops.py:5")
