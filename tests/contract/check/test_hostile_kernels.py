"""
Kernels that answer rightly and misbehave besides: the report says what matters, and no other kernel pays for it.
"""

from collections.abc import Callable

import pytest

from tests.contract.check.shop import GOOD, Ended, Shop, left_after, nightly_but, of_now

pytestmark = pytest.mark.real

# What a change may do without anybody's harm: these stay green.
HARMLESS = {
    "settles": "import os\n\ndef kernel(x):\n    os.environ.clear()\n    os.chdir('/')\n    return x + x\n",
    "trains": "def kernel(x):\n    x.requires_grad_(True)\n    return x + x\n",
    "prints": "import sys\n\ndef kernel(x):\n    print('\\udcff', file=sys.stderr)\n    return x + x\n",
    "forks": (
        "import subprocess, sys\n\n\ndef kernel(x):\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n    return x + x\n"
    ),
}
SPOILERS = {
    "stops_clock": "import time\n\ndef kernel(x):\n    time.perf_counter_ns = lambda: 7\n    return x + x\n",
    "breaks_torch": (
        "import torch\n\n\ndef kernel(x):\n    out = x + x\n"
        "    torch.Tensor.reshape = None\n    torch.empty = None\n    return out\n"
    ),
    "unlinks": (
        "import os, shutil, sys\n\n\ndef kernel(x):\n"
        "    shutil.rmtree(os.path.join(sys.argv[2], 'out'))\n    return x + x\n"
    ),
}
# Answers that are no plain dense tensor, or another than the fallback's.
ANSWERS = {
    "views": ("x.mul_(2)", "contract-broken", "changes its input x"),
    "sparse": ("(x + x).to_sparse()", "contract-broken", "not a dense one"),
    "quantised": (
        "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)",
        "contract-broken",
        "",
    ),
    "complex": ("(x + x).to(torch.complex64)", "contract-broken", "complex64"),
    "meta": ("(x + x).to('meta')", "contract-broken", "meta"),
    "empty": ("(x + x)[:0]", "contract-broken", "[0]"),
    "scalar": ("(x + x).sum()", "contract-broken", "[]"),
    "longer": ("torch.cat([x, x])", "contract-broken", "[128]"),
    "doubled": ("[x + x, x]", "contract-broken", "2 outputs"),
    "nan": ("x + float('nan')", "wrong-result", "nan, expected"),
    "infinite": ("x * float('inf')", "wrong-result", ""),
    "zero": ("x * 0", "wrong-result", ""),
}


BY_DAY = ("good", "forks", "stops_clock", "sparse", "nan")


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> tuple[Shop, Ended]:
    root = tmp_path_factory.mktemp("hostile") / "shop"
    answers = {
        name: f"import torch\n\ndef kernel(x):\n    return {answer}\n" for name, (answer, _, _) in ANSWERS.items()
    }
    kernels = of_now({"good": GOOD, **HARMLESS, **SPOILERS, **answers}, BY_DAY)
    shop = stocked(root, dict.fromkeys(kernels, GOOD), kernels, top="defaults: {timeout_s: 20}\n")
    return shop, shop.check()


@pytest.mark.parametrize("kernel", nightly_but(["good", *HARMLESS], BY_DAY))
def test_a_right_answer_stays_green_whatever_else_its_process_did(run: tuple[Shop, Ended], kernel: str) -> None:
    _, ended = run

    assert [f["sentence"] for f in ended.findings(kernel) if f["blocks"]] == []
    (case,) = [c for c in ended.report["cases"] if c["kernel"] == kernel]
    assert "head" in case["latency"]["median_ns"]


@pytest.mark.parametrize("kernel", nightly_but(SPOILERS, BY_DAY))
def test_who_breaks_the_measurement_is_blamed_alone(run: tuple[Shop, Ended], kernel: str) -> None:
    _, ended = run

    assert [f["kernel"] for f in ended.findings(kernel) if f["blocks"]]


@pytest.mark.parametrize("kernel", nightly_but(ANSWERS, BY_DAY))
def test_an_answer_of_another_kind_is_named_by_its_rule(run: tuple[Shop, Ended], kernel: str) -> None:
    _, ended = run
    _, rule, words = ANSWERS[kernel]

    found = ended.findings(kernel, blocking=True)

    assert [f["rule"] for f in found] == [rule]
    assert words in found[0]["sentence"]


def test_nothing_of_theirs_outlives_the_run(run: tuple[Shop, Ended]) -> None:
    shop, ended = run

    assert ended.code == 1
    assert left_after(shop.root, 0) == []
