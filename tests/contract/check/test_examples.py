"""The shipped examples through the gate, as `make quickstart` and `make broken` run them."""

import os

import pytest

pytestmark = pytest.mark.real

# Rule and kernel of every fault that examples/broken plants, and nothing else.
PLANTED = {
    ("contract-broken", "geglu"),
    ("wrong-result", "matmul"),
    ("wrong-result", "softmax"),
    ("fallback-raises", "rms_norm"),
    ("switch-without-effect", "swiglu"),
    ("owner-missing", "add"),
    ("slower-than-base", "layer_norm"),
}


@pytest.mark.skipif(
    "KGATE_NIGHTLY" not in os.environ, reason="not run: `make quickstart` runs the same, at full length"
)
def test_the_quickstart_passes(staged) -> None:
    ended = staged("quickstart").kgate("check", "--launches", "3", "--drills", "smallest")

    assert ended.code == 0, ended.out + ended.err
    assert ended.report["verdict"] == "pass"
    assert ended.out.startswith("kgate: pass: ")


def test_every_planted_fault_is_named_by_its_rule_and_nothing_else_is_blamed(staged) -> None:
    shop = staged("broken")

    # What is wrong shows at once; `make broken` takes as many launches for all cases as they ask for.
    wrong = shop.kgate("check", "--launches", "1")
    # Twelve are enough for a slowdown of a seventh.
    slow = shop.kgate("check", "--launches", "12", "--kernel", "layer_norm")

    assert (wrong.code, slow.code) == (1, 1), wrong.out + wrong.err + slow.out + slow.err
    found = {(f["rule"], f["kernel"]) for ended in (wrong, slow) for f in ended.findings(blocking=True)}
    assert found == PLANTED
