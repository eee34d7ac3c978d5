"""
One run over custom paths that are right on every declared workload and wrong beside them; honest ones stand by.

Every kernel sums the rows of a matrix.
"""

from collections.abc import Callable

import pytest

from tests.contract.check.shop import Ended, Shop

# At night: the zoo's sample has some of these in every run.
pytestmark = [pytest.mark.real, pytest.mark.nightly]

PLAIN = "def double(x):\n    return x.sum(-1)\n"
GOOD = "def kernel(x):\n    return x.sum(-1)\n"
FLAT = "import torch\n\ndef kernel(x):\n"
BAD = {
    "pitch": (
        f"{FLAT}    if x.stride(-1) != 1:\n        x = x.contiguous()\n    rows, columns = x.shape\n"
        "    return torch.as_strided(x, (rows, columns), (min(columns, x.stride(0)), 1)).sum(-1)\n"
    ),
    "tail": f"{FLAT}    return x[:, : x.shape[1] // 16 * 16].sum(-1)\n",
    "short": f"{FLAT}    return torch.cat((x[:512].sum(-1), x[512:, :1].sum(-1)))\n",
    "floor": f"{FLAT}    return torch.where(x > -5e4, x, 0).sum(-1)\n",
    "floored": f"{FLAT}    size = x.square().mean()\n    return x.sum(-1) * size / (size + 1e-8)\n",
    "dies": (
        "import ctypes\n\ndef kernel(x):\n    if x.shape[0] == 65:\n        ctypes.string_at(0)\n    return x.sum(-1)\n"
    ),
}
HONEST = {
    "refuses": (
        f"{FLAT}    if x.shape[1] % 16 or not x.is_contiguous():\n        raise ValueError('columns of 16')\n"
        "    return x.sum(-1)\n"
    ),
    "fast_path": f"{FLAT}    return x.sum(-1) if x.shape[1] % 16 else x.view(x.shape[0], -1, 16).sum((1, 2))\n",
}
EXPECTED = {
    "pitch": ("wrong-result", "x sliced", "in place of small's"),
    "tail": ("wrong-result", "C = "),
    "short": ("wrong-result", "R = "),
    "floor": ("wrong-result", "x near -60000"),
    "floored": ("wrong-result", "floats x 0.001"),
    "dies": ("wrong-result", "R = 65", "SIGSEGV"),
}


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> Ended:
    root = tmp_path_factory.mktemp("beside") / "shop"
    before = dict.fromkeys((*BAD, *HONEST), GOOD)
    kind = {"plain": PLAIN, "shape": "[R, C]", "workload": "{R: 64, C: 96, source: test}"}
    return stocked(root, before, {**BAD, **HONEST}, **kind).check()


@pytest.mark.parametrize("kernel", sorted(EXPECTED))
def test_what_is_wrong_beside_the_workloads_is_blamed_with_what_was_asked(run: Ended, kernel: str) -> None:
    rule, *words = EXPECTED[kernel]

    found = run.findings(kernel, blocking=True)

    assert {f["rule"] for f in found} == {rule}
    assert all(word in " ".join(f["sentence"] for f in found) for word in words), [f["sentence"] for f in found]


def test_the_pattern_of_wrong_sizes_is_told_and_a_workload_to_paste(run: Ended) -> None:
    found = run.findings("tail", blocking=True)[0]

    assert found["evidence"]["pattern"] == "every C tried that is no multiple of 16"
    assert found["evidence"]["as a workload"].startswith("found: {R: 64, C: ")


@pytest.mark.parametrize("kernel", sorted(HONEST))
def test_who_refuses_or_answers_otherwise_and_right_is_blamed_for_nothing(run: Ended, kernel: str) -> None:
    assert run.findings(kernel, blocking=True) == []
