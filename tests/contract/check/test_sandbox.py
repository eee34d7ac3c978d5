"""One run within namespaces over kernels that reach for what is not theirs, an honest one beside them."""

from collections.abc import Callable

import pytest

from kgate.runner import sandbox
from tests.contract.check.shop import GOOD, Ended, Shop, left_after

pytestmark = [pytest.mark.real, pytest.mark.nightly]
HOSTILE = {
    "rewrites": (
        "from pathlib import Path\n\ndef kernel(x):\n"
        "    Path(__file__).parents[1].joinpath('shop/plain.py').write_text('')\n    return x + x\n"
    ),
    "kills": "import os, signal\n\ndef kernel(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return x\n",
    "reads": (
        "import os\n\ndef kernel(x):\n    with open(f'/proc/{os.getppid()}/mem', 'r+b') as memory:\n"
        "        memory.read(1)\n    return x + x\n"
    ),
}
LASTING = (
    "import subprocess, sys\n\n\ndef kernel(x):\n    subprocess.Popen([sys.executable, '-c', "
    "'import time; time.sleep(3600)', sys.argv[0]], start_new_session=True)\n    return x + x\n"
)
EXPECTED = {
    "rewrites": ("does-not-run", "Read-only file system"),
    "kills": ("wrong-result", "64 of 64"),
    "reads": ("does-not-run", "Read-only file system: '/proc/1/mem'"),
}


@pytest.fixture(scope="module")
def run(stocked: Callable[..., Shop], tmp_path_factory: pytest.TempPathFactory) -> tuple[Shop, Ended]:
    found = sandbox.chosen("auto")
    if not found.confines:
        pytest.skip(f"not run: {found.gaps[0]}")
    kernels = {"good": GOOD, "lasting": LASTING, **HOSTILE}
    shop = stocked(tmp_path_factory.mktemp("sandbox") / "shop", dict.fromkeys(kernels, GOOD), kernels)
    return shop, shop.check("--sandbox", "namespaces")


@pytest.mark.parametrize("kernel", EXPECTED)
def test_what_reaches_for_more_is_blamed_for_what_came_of_it(run: tuple[Shop, Ended], kernel: str) -> None:
    rule, words = EXPECTED[kernel]

    found = run[1].findings(kernel, blocking=True)

    assert [f["rule"] for f in found] == [rule]
    assert words in found[0]["sentence"]


@pytest.mark.parametrize("kernel", ["good", "lasting"])
def test_a_right_answer_stays_green(run: tuple[Shop, Ended], kernel: str) -> None:
    assert run[1].findings(kernel, blocking=True) == []


def test_the_report_names_the_sandbox_and_nothing_outlives_it(run: tuple[Shop, Ended]) -> None:
    shop, ended = run

    assert ended.report["sandbox"] == "namespaces"
    assert "sandbox\n  namespaces" in ended.out or "sandbox namespaces" in ended.out
    assert left_after(shop.root, 0) == []
    assert (shop.root / "shop/plain.py").read_text() != ""
