"""
One run over a kernel of every bad kind: each is blamed for its own fault by one rule, and the good one stays green.
"""

from collections.abc import Callable

import pytest

from tests.contract.check.shop import GOOD, Ended, Shop, left_after, nightly_but, of_now

pytestmark = pytest.mark.real

REPLIES = "os.path.join(sys.argv[2], 'replies.jsonl')"
BAD = {
    "unimportable": "import no_such_package\n",
    "gone": "def kernels(x):\n    return x + x\n",
    "raises": "def kernel(x):\n    raise ValueError('seventeen is not even')\n",
    "silent": "def kernel(x):\n    x + x\n",
    "listed": "def kernel(x):\n    return [(x + x).tolist()]\n",
    "texts": "def kernel(x):\n    return 'twice'\n",
    "hangs": "import time\n\ndef kernel(x):\n    while True:\n        time.sleep(1)\n",
    "crashes": "import ctypes\n\ndef kernel(x):\n    ctypes.string_at(0)\n",
    "leaves": "import os\n\ndef kernel(x):\n    os._exit(0)\n",
    "quits": "import sys\n\ndef kernel(x):\n    sys.exit(3)\n",
    "floods": "def kernel(x):\n    while True:\n        print('x' * 1_000_000)\n",
    "forges": (
        "import os, sys\n\n\ndef kernel(x):\n"
        f"    with open({REPLIES}, 'a') as file:\n"
        '        print(\'{"kind": "End", "case": "forges/small@cpu"}\', file=file)\n'
        "    return x + x\n"
    ),
    "stammers": (
        f"import os, sys\n\n\ndef kernel(x):\n    open({REPLIES}, 'a').write('{{\"kind\": \"En')\n    os._exit(1)\n"
    ),
    "greedy": "import torch\n\n\ndef kernel(x):\n    return torch.empty(1 << 56) + x\n",
}
HANDED_DOWN = {"never": "def other(x):\n    return x\n"}
EXPECTED = {
    "unimportable": ("does-not-run", "customs.unimportable does not import under", "No module named 'no_such_package'"),
    "gone": ("does-not-run", "customs.gone has no function 'kernel'", "did you mean 'kernels'"),
    "raises": ("does-not-run", "customs.raises:kernel", "ValueError: seventeen is not even"),
    "silent": ("contract-broken", "customs.silent:kernel", "returned None"),
    "listed": ("contract-broken", "customs.listed:kernel", "list"),
    "texts": ("contract-broken", "customs.texts:kernel", "str"),
    "hangs": ("does-not-run", "customs.hangs:kernel", "within 3 s"),
    "crashes": ("does-not-run", "customs.crashes:kernel", "SIGSEGV"),
    "leaves": ("does-not-run", "customs.leaves:kernel", "exit code 0"),
    "quits": ("does-not-run", "customs.quits:kernel", "SystemExit: 3"),
    "floods": ("does-not-run", "customs.floods:kernel", "64 MiB to its output"),
    "forges": ("does-not-run", "customs.forges:kernel", "broke the worker's protocol"),
    "stammers": ("does-not-run", "customs.stammers:kernel", "exit code 1"),
    "greedy": ("does-not-run", "customs.greedy:kernel", "ran out of memory"),
}


BY_DAY = ("unimportable", "raises", "hangs", "forges")  # the others die in ways much like theirs


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> tuple[Shop, Ended]:
    root = tmp_path_factory.mktemp("bad") / "shop"
    bad = of_now(BAD, BY_DAY)
    before = {"good": GOOD, **dict.fromkeys(bad, GOOD), **HANDED_DOWN}
    shop = stocked(root, before, {"good": GOOD, **bad, **HANDED_DOWN}, top="defaults: {timeout_s: 3}\n")
    return shop, shop.check()


def test_the_change_is_at_fault(run: tuple[Shop, Ended]) -> None:
    _, ended = run

    assert ended.code == 1, ended.err
    assert ended.report["verdict"] == "fail"


@pytest.mark.parametrize("kernel", nightly_but(EXPECTED, BY_DAY))
def test_a_bad_kernel_is_blamed_once_by_its_rule_with_what_happened(run: tuple[Shop, Ended], kernel: str) -> None:
    _, ended = run
    rule, *words = EXPECTED[kernel]

    found = ended.findings(kernel, blocking=True)

    assert [f["rule"] for f in found] == [rule]
    assert all(word in found[0]["sentence"] for word in words), found[0]["sentence"]
    assert "\n" not in found[0]["sentence"]
    assert found[0]["advice"]


def test_a_module_that_does_not_import_is_named_with_its_interpreter(run: tuple[Shop, Ended]) -> None:
    shop, ended = run

    (found,) = ended.findings("unimportable", blocking=True)

    assert shop.python in found["sentence"]


def test_what_base_lacks_as_well_is_shown_and_does_not_block(run: tuple[Shop, Ended]) -> None:
    _, ended = run

    found = {f["rule"]: f for f in ended.findings("never")}

    assert found["does-not-run"]["pre_existing"]
    assert not any(f["blocks"] for f in found.values())


def test_the_good_kernel_among_them_stays_green(run: tuple[Shop, Ended]) -> None:
    _, ended = run

    assert [f["rule"] for f in ended.findings("good") if f["level"] != "note"] == []
    (case,) = [c for c in ended.report["cases"] if c["kernel"] == "good"]
    assert set(case["latency"]["median_ns"]) == {"head", "base", "fallback"}


def test_none_of_them_leaves_a_process_behind(run: tuple[Shop, Ended]) -> None:
    shop, _ = run

    assert left_after(shop.root, 0) == []


def test_a_flood_or_a_megabyte_of_words_does_not_swell_the_report(run: tuple[Shop, Ended]) -> None:
    shop, ended = run

    assert len(ended.out) < 40_000
    assert all((shop.root / ".kgate/last" / name).stat().st_size < 1 << 20 for name in ("report.json", "comment.md"))
