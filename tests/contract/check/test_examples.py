"""The shipped examples through the gate, as `make quickstart` and `make broken` run them."""

import os
from collections.abc import Callable

import pytest

from tests.contract.check.shop import Ended, Shop

pytestmark = pytest.mark.real

SLOWED = ("slower-than-base", "layer_norm")
# Rule and kernel of every fault that examples/broken plants, and nothing else.
PLANTED = {
    ("contract-broken", "geglu"),
    ("wrong-result", "matmul"),
    ("wrong-result", "softmax"),
    ("fallback-raises", "rms_norm"),
    ("switch-without-effect", "swiglu"),
    ("owner-missing", "add"),
    SLOWED,
}


@pytest.mark.skipif(
    "KGATE_NIGHTLY" not in os.environ, reason="not run: `make quickstart` runs the same, at full length"
)
def test_the_quickstart_passes(staged: Callable[[str], Shop]) -> None:
    ended = staged("quickstart").kgate("check", "--launches", "3", "--drills", "smallest")

    assert ended.code == 0, ended.out + ended.err
    assert ended.report["verdict"] == "pass"
    assert ended.out.startswith("kgate: pass: ")


def test_every_planted_fault_is_named_by_its_rule_and_nothing_else_is_blamed(staged: Callable[[str], Shop]) -> None:
    # What is wrong shows at once; `make broken` takes as many launches for all cases as they ask for.
    ended = staged("broken").kgate("check", "--launches", "1")

    assert ended.code == 1, ended.out + ended.err
    assert blamed(ended) == PLANTED - {SLOWED}


@pytest.mark.nightly
def test_a_kernel_slowed_by_a_seventh_is_named_and_blocks(staged: Callable[[str], Shop]) -> None:
    ended = staged("broken").kgate("check", "--launches", "12", "--kernel", "layer_norm")

    assert ended.code == 1, ended.out + ended.err
    assert blamed(ended) == {SLOWED}


def blamed(ended: Ended) -> set[tuple[str, str]]:
    return {(f["rule"], f["kernel"]) for f in ended.findings(blocking=True)}
