"""
One run over custom paths whose first answer is right, bit for bit, and which do what they should not, at that call or
at another. Honest ones that come near stand beside them.
"""

from collections.abc import Callable

import pytest

from tests.contract.check.shop import Ended, Shop, nightly_but, of_now

pytestmark = pytest.mark.real

COUNT = "import torch\n\nCALLS = 0\n\n\ndef kernel(x):\n    global CALLS\n    CALLS += 1\n"
BAD = {
    "unwritten": (
        "import torch\n\ndef kernel(x):\n    out = torch.empty_like(x)\n    out[:60] = 2 * x[:60]\n    return out\n"
    ),
    "second": f"{COUNT}    return 2 * x if CALLS == 1 else 3 * x\n",
    "first": f"{COUNT}    return 3 * x if CALLS == 1 else 2 * x\n",
    "racy": f"{COUNT}    return 3 * x if CALLS % 40 == 20 else 2 * x\n",
    "stale": (
        "KEPT = {}\n\ndef kernel(x):\n    key = x.data_ptr()\n    if key not in KEPT:\n        KEPT[key] = 2 * x\n"
        "    return KEPT[key].clone()\n"
    ),
    "reuses": "import torch\n\nOUT = torch.empty(64)\n\ndef kernel(x):\n    return torch.add(x, x, out=OUT)\n",
    "overreads": "import ctypes\n\ndef kernel(x):\n    ctypes.string_at(x.data_ptr(), 1024)\n    return 2 * x\n",
    "overwrites": "import ctypes\n\ndef kernel(x):\n    ctypes.memset(x.data_ptr() - 8, 0, 8)\n    return 2 * x\n",
    "strided": "import torch\n\ndef kernel(x):\n    return torch.stack((2 * x, x), 1)[:, 0]\n",
    "coarse": "import torch\n\ndef kernel(x):\n    torch.backends.cuda.matmul.allow_tf32 = True\n    return 2 * x\n",
    "patches": (
        "import torch\n\ndef gelu(x):\n    return x\n\n\ndef kernel(x):\n    torch.nn.functional.gelu = gelu\n"
        "    return 2 * x\n"
    ),
    "reseeds": "import torch\n\ndef kernel(x):\n    torch.manual_seed(0)\n    return 2 * x\n",
    "lazy": (
        "import torch\n\n\nclass Later(torch.Tensor):\n    pass\n\n\ndef kernel(x):\n"
        "    return (2 * x).as_subclass(Later)\n"
    ),
    "gives_up": (
        "from shop import plain\n\n\ndef launch(x):\n    raise RuntimeError('no kernel image')\n\n\ndef kernel(x):\n"
        "    try:\n        return launch(x)\n    except RuntimeError:\n        return plain.double(x)\n"
    ),
}
HONEST = {
    "versioned": (
        "KEPT = {}\n\ndef kernel(x):\n    key = (x.data_ptr(), x._version)\n    if key not in KEPT:\n"
        "        KEPT.clear()\n        KEPT[key] = (x, 2 * x)\n    return KEPT[key][1].clone()\n"
    ),
    "scratch": (
        "import torch\n\nSCRATCH = torch.empty(64)\n\ndef kernel(x):\n    return torch.add(x, x, out=SCRATCH).clone()\n"
    ),
    "draws": (
        "import random\n\nimport torch\n\ndef kernel(x):\n    torch.rand(3)\n    random.random()\n    return 2 * x\n"
    ),
    "out_of_order": (
        "import torch\n\ndef kernel(x):\n    parts = torch.stack((x * 0.7, x * 0.3, x))\n"
        "    return parts[torch.randperm(3, generator=torch.Generator().manual_seed(id(parts) % 1000))].sum(0)\n"
    ),
}
EXPECTED = {
    "unwritten": ("wrong-result", "unwritten memory holds", "4 of 64"),
    "second": ("wrong-result", "on its second call"),
    "first": ("wrong-result", "on its first call only"),
    "racy": ("nondeterministic", "not the same each time", "calls on the same inputs gave other bits"),
    "stale": ("wrong-result", "values of its input x have changed", "stale"),
    "reuses": ("contract-broken", "in the memory of its first answer", "output 0"),
    "overreads": ("contract-broken", "beyond its inputs", "SIGSEGV"),
    "overwrites": ("contract-broken", "writes outside its input x"),
    "strided": ("contract-broken", "strides [2]", "with [1]"),
    "coarse": ("contract-broken", "torch.backends.cuda.matmul.allow_tf32: False → True"),
    "patches": ("contract-broken", "torch.nn.functional.gelu", "customs.patches.gelu"),
    "reseeds": ("contract-broken", "torch's random numbers on the CPU, seeded anew"),
    "lazy": ("contract-broken", "customs.lazy.Later"),
    "gives_up": ("path-not-taken", "calls the fallback shop.plain:double"),
}


BY_DAY = ("unwritten", "racy", "stale", "coarse", "versioned")


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> Ended:
    root = tmp_path_factory.mktemp("habits") / "shop"
    chosen = of_now(BAD | HONEST, BY_DAY)
    return stocked(root, dict.fromkeys(chosen, "def kernel(x):\n    return x + x\n"), chosen).check()


@pytest.mark.parametrize("kernel", nightly_but(EXPECTED, BY_DAY))
def test_a_bad_habit_is_blamed_once_by_its_rule_with_what_was_done(run: Ended, kernel: str) -> None:
    rule, *words = EXPECTED[kernel]

    found = run.findings(kernel, blocking=True)

    assert [f["rule"] for f in found] == [rule]
    assert all(word in found[0]["sentence"] for word in words), found[0]["sentence"]


@pytest.mark.parametrize("kernel", nightly_but(HONEST, BY_DAY))
def test_an_honest_kernel_that_comes_near_is_blamed_for_nothing(run: Ended, kernel: str) -> None:
    assert run.findings(kernel, blocking=True) == []
