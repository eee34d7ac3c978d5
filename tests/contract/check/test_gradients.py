"""
One run over custom paths whose forward pass is right, each with a gradient: right, wrong, missing, or right for ones.

Every kernel doubles a vector; the gradient is twice what comes in.
"""

from collections.abc import Callable

import pytest

from tests.contract.check.shop import GOOD, Ended, Shop

# At night: the zoo's sample has some of these in every run.
pytestmark = [pytest.mark.real, pytest.mark.nightly]

FUNCTION = """\
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}
        return 2 * x

    @staticmethod
    def backward(ctx, above):
        {backward}


def kernel(x):
    return Double.apply(x)
"""


def function(backward: str, forward: str = "pass") -> str:
    return FUNCTION.format(backward=backward, forward=forward)


BAD = {
    "triple": function("return 3 * above"),
    "uniform": function("return torch.full_like(above, 2) * above[-1]"),
    "dense": function("return 2 * above if above.is_contiguous() else torch.zeros(above.shape)"),
    "detached": "def kernel(x):\n    return (2 * x).detach()\n",
    "over_input": function(
        "return above * ctx.kept", "ctx.kept = x.data; ctx.y = 2 * x; x.data.fill_(2); return ctx.y"
    ),
}
HONEST = {
    "saved": function("return 2 * above.contiguous()"),
    "recorded": GOOD,
}
EXPECTED = {
    "triple": ("wrong-result", "backward, differs from the reference"),
    "uniform": ("wrong-result", "backward, differs from the reference"),
    "dense": ("wrong-result", "one element expanded"),
    "detached": ("contract-broken", "none of its outputs has a gradient"),
    "over_input": ("contract-broken", "changes its input x"),
}


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> Ended:
    root = tmp_path_factory.mktemp("gradients") / "shop"
    sources = {**BAD, **HONEST}
    return stocked(root, dict.fromkeys(sources, GOOD), sources, more="\n    direction: both").check()


@pytest.mark.parametrize("kernel", sorted(EXPECTED))
def test_a_wrong_gradient_behind_a_right_forward_pass_is_blamed(run: Ended, kernel: str) -> None:
    rule, words = EXPECTED[kernel]

    found = [f for f in run.findings(kernel, blocking=True) if f["name"].endswith("/backward")]

    assert [f["rule"] for f in found] == [rule]
    assert words in found[0]["sentence"]


@pytest.mark.parametrize("kernel", sorted(HONEST))
def test_a_right_gradient_is_blamed_for_nothing(run: Ended, kernel: str) -> None:
    assert run.findings(kernel, blocking=True) == []
