"""What a change is held to, in real runs: base's limits, and the old faults of a repository that adopts the gate."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Ended, Shop

pytestmark = [pytest.mark.real, pytest.mark.nightly]

ENTRY = """\
  {name}:
    owners: ["{owner}"]
    dispatch: shop.{name}:dispatch
    custom: {custom}:kernel
    fallback: shop.plain:double
    reference: shop.exact:double
    switch: {{env: SHOP_{upper}, custom: "1", fallback: "0"}}
    targets: [cpu]
    args: {{x: {{shape: [N], dtype: float32}}}}
    tolerance: {{float32: {{rtol: {rtol}, atol: 1.0e-6}}}}
    workloads: {{{workloads}}}
"""
SMALL, LARGE = "small: {N: 64, source: test}", "large: {N: 4096, source: test}"
EXACT = "def double(x):\n    return x.double() * 2\n"
SIX = {
    ("loosened", "tolerance float32", "good/small"),
    ("removed", "workload", "good/large"),
    ("moved", "owners", "good"),
    ("removed", "entry", "old"),
    ("moved", "code of reference", "good"),
    ("loosened", "baseline cpu", "good"),
}


def entry(name: str, **changes: str) -> str:
    fields = {
        "name": name,
        "upper": name.upper(),
        "owner": "@shop/kernels",
        "custom": f"customs.{name}",
        "rtol": "1.0e-6",
        "workloads": f"{SMALL}, {LARGE}",
    }
    return ENTRY.format(**{**fields, **changes})


def manifest(*entries: str) -> str:
    return "version: 1\nbaselines: ci\nkernels:\n" + "".join(entries)


@pytest.fixture
def shop(worker_python: str, tmp_path: Path) -> Shop:
    """Two good kernels with a reference of their own, and a baseline, in the first commit."""
    made = Shop(root=tmp_path / "shop", python=worker_python)
    made.stock({"good": GOOD, "old": GOOD})
    made.write({"kgate.yaml": manifest(entry("good"), entry("old")), "shop/exact.py": EXACT})
    made.commit("Two kernels")
    ended = made.kgate("check", "--launches", "3", "--drills", "none", "--base", "none", limit_s=900)
    assert ended.report["cases"], ended.out + ended.err
    recorded = made.kgate("baseline", "record", limit_s=900)
    assert recorded.code == 0, recorded.err
    made.commit("A baseline")
    return made


def amendments(ended: Ended) -> set[tuple[str, str, str]]:
    told = ended.report["terms"]["amendments"]
    return {
        (a["kind"], a["what"], f"{a['kernel']}/{a['workload']}".rstrip("/")) for a in told if a["approved"] is not None
    }


def slower(shop: Shop) -> Mapping[str, str]:
    """The stored baseline with a time twice as long."""
    body = json.loads((shop.root / "ci/cpu.json").read_text())
    for name, case in body["cases"].items():
        if name.startswith("good/"):
            case["custom_ns"] *= 2
    return {"ci/cpu.json": json.dumps(body)}


@pytest.mark.parametrize("moved", [False, True], ids=["in place", "with a renamed file"])
def test_six_ways_to_ask_less_are_six_findings_and_base_judges(shop: Shop, moved: bool) -> None:
    custom = "customs.better" if moved else "customs.good"
    if moved:
        (shop.root / "customs/good.py").rename(shop.root / "customs/better.py")
        shop.write({"shop/good.py": (shop.root / "shop/good.py").read_text().replace("customs.good", "customs.better")})
    # Wrong by more than base allows, and by less than the change would like.
    shop.write({custom.replace(".", "/") + ".py": "def kernel(x):\n    return (x + x) * (1 + 3e-6)\n"})
    loose = entry("good", owner="@shop/others", custom=custom, rtol="1.0e-5", workloads=SMALL)
    shop.write({"kgate.yaml": manifest(loose), "shop/exact.py": EXACT.replace("x.double() * 2", "x.double() * 2.0")})
    shop.write(slower(shop))
    shop.commit("Asks less")

    ended = shop.kgate("check", "--launches", "1", "--drills", "none", limit_s=900)

    assert ended.code == 1
    assert amendments(ended) == SIX
    assert [f["owners"] for f in ended.findings() if f["rule"] == "gate-loosened"] == [["@shop/kernels"]] * 6
    # By base's tolerance, on the workload that was dropped as well.
    assert {f["name"] for f in ended.findings() if f["rule"] == "wrong-result"} == {"good/small", "good/large"}


def test_a_change_that_only_adds_is_let_through(shop: Shop) -> None:
    more = f"{SMALL}, {LARGE}, odd: {{N: 333, source: test}}"
    shop.write({"kgate.yaml": manifest(entry("good", workloads=more), entry("old"))})
    shop.commit("One workload more")

    ended = shop.kgate("check", "--launches", "1", "--drills", "none", limit_s=900)

    assert [f for f in ended.findings() if f["blocks"] and f["rule"] == "gate-loosened"] == []
    assert [a["kind"] for a in ended.report["terms"]["amendments"]] == ["added"]


NAMES = tuple(f"op{n}" for n in range(10))
BAD = "def kernel(x):\n    return x + x + 1\n"


def test_a_repository_with_old_faults_adopts_the_gate_and_is_green(worker_python: str, tmp_path: Path) -> None:
    shop = Shop(root=tmp_path / "shop", python=worker_python)
    # A repository without a manifest, with six kernels that are wrong.
    shop.stock({name: BAD if n < 6 else GOOD for n, name in enumerate(NAMES)})
    text = (shop.root / "kgate.yaml").read_text()
    (shop.root / "kgate.yaml").unlink()
    shop.commit("Ten kernels")
    shop.write({"kgate.yaml": text})
    shop.commit("The gate")
    flags = ("check", "--launches", "1", "--drills", "none")

    first = shop.kgate(*flags, limit_s=900)
    adopted = shop.kgate("init", "--adopt", limit_s=900)
    second = shop.kgate(*flags, limit_s=900)

    assert (first.code, adopted.code, second.code) == (1, 0, 0), first.out + adopted.err + second.out
    assert second.report["verdict"] == "warn"
    assert {f["name"].partition("/")[0] for f in first.findings(blocking=True)} == set(NAMES[:6])

    shop.commit("Old faults")
    shop.write({"customs/op9.py": GOOD.replace("x + x", "2 * x")})
    shop.commit("A clean change")
    assert shop.kgate(*flags, limit_s=900).code == 0

    shop.write({"customs/op8.py": BAD})
    debt = (shop.root / "kgate-debt.yaml").read_text()
    grown = debt + '  - {rule: wrong-result, scope: case, name: "op8/small", owner: "@me", expires: 2030-01-01}\n'
    shop.write({"kgate-debt.yaml": grown})
    shop.commit("A seventh fault, and debt for it")
    seventh = shop.kgate(*flags, limit_s=900)

    blocking = {(f["rule"], f["kernel"]) for f in seventh.findings(blocking=True)}
    assert seventh.code == 1
    assert blocking == {("wrong-result", "op8"), ("gate-loosened", "op8")}
