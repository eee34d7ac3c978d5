"""
Specimen products: one file each in specimens/, whose docstring ends in what the gate must say of it, and the repository
that they are put into.

A specimen has dispatch, custom and fallback of one vector of 64 floats, and a switch of its own name. Its ENTRY adds to
the manifest: `optional`, `read`, `dsl`, `targets`, `reference`.
"""

import ast
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.contract.check.shop import Ended, Shop

HERE = Path(__file__).parent
NOTHING = "nothing"
WORD = re.compile(r"[a-z-]+(?: \([a-z-]+\))?")
LIMIT_S = 1500  # of all products at once, beside whatever else a machine does
STALE = "3.0"  # what an older version has left in the compile cache of the user's own


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """`says`: rules, with the condition in brackets; `guard`: conditions under which the fallback must be what runs."""

    name: str
    source: str
    entry: dict[str, Any]
    says: frozenset[str]
    says_on_gpu: frozenset[str]
    guard: tuple[str, ...]
    alone: str  # the rule that says that nothing ran, where this is the only kernel

    @property
    def tilelang(self) -> bool:
        return self.entry.get("dsl") == "tilelang"

    def expected(self, device: str) -> frozenset[str]:
        return self.says_on_gpu if device.startswith("cuda") else self.says


def specimens(names: Sequence[str] = ()) -> tuple[Specimen, ...]:
    found = sorted((HERE / "specimens").glob("*.py"))
    return tuple(specimen(path) for path in found if not names or path.stem in names)


def specimen(path: Path) -> Specimen:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    told = " ".join((ast.get_docstring(tree) or "").split())
    entry = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign) and named(n) == "ENTRY")
    says = wanted(told, "Must say")
    return Specimen(
        name=path.stem,
        source=source,
        entry=entry,
        says=says,
        says_on_gpu=says | wanted(told, "Must say on a GPU"),
        guard=tuple(re.findall(r"[a-z-]+", told.partition("Guard: ")[2].partition(" Must say")[0])),
        alone=told.partition("Alone: ")[2].partition(" ")[0],
    )


def named(assignment: ast.Assign) -> str:
    return assignment.targets[0].id if isinstance(assignment.targets[0], ast.Name) else ""


def wanted(told: str, label: str) -> frozenset[str]:
    text = told.partition(f"{label}: ")[2].partition(" Must say")[0]
    return frozenset(WORD.findall(text)) - {NOTHING}


def stocked(root: Path, python: str, members: Iterable[Specimen]) -> Shop:
    """A repository of one commit with these products, and a compile cache of the user's beside it."""
    members = tuple(members)
    shop = Shop(root=root, python=python)
    packages = {
        f"{name}.py": (HERE / "packages" / f"{name}.py").read_text() for name in ("fastops", "patchops", "stubops")
    }
    kernel = (HERE / "packages" / "tilelang_kernel.py").read_text()
    products = {f"products/{member.name}.py": member.source for member in members}
    shop.write({"products/__init__.py": "", "products/tilelang_kernel.py": kernel, **packages, **products})
    shop.write({"kgate.yaml": json.dumps({"version": 1, "kernels": {m.name: manifest_entry(m) for m in members}})})
    shop.commit("Products")
    cache = root.parent / "cache"
    cache.mkdir(exist_ok=True)
    (cache / "stale_cache.double").write_text(STALE)
    return shop


def manifest_entry(member: Specimen) -> dict[str, Any]:
    entry = dict(member.entry)
    module = f"products.{member.name}"
    switch = {"env": member.name.upper(), "custom": "1", "fallback": "0", "read": entry.pop("read", "import")}
    if "reference" in entry:
        entry["reference"] = f"{module}:{entry['reference']}"
    return {
        "owners": ["@shop/kernels"],
        "dsl": "torch",
        **{role: f"{module}:{role}" for role in ("dispatch", "custom", "fallback")},
        "switch": switch,
        "targets": ["cpu", "cuda"],
        "args": {"x": {"shape": [64], "dtype": "float32"}},
        "workloads": {"small": {"source": "test"}},
        **entry,
    }


def drilled(shop: Shop, device: str, *arguments: str) -> Ended:
    cache = shop.root.parent / "cache"
    env = {"TRITON_CACHE_DIR": str(cache), "KGATE_DRILLS": "smallest"}
    return shop.kgate("drill", "--device", device, *arguments, env=env, limit_s=LIMIT_S)


def said(ended: Ended, name: str) -> frozenset[str]:
    """`fallback-raises (package-absent)`; of a case, the rule alone."""
    return frozenset(
        f"{f['rule']} ({f['name'].partition(' (')[2].rstrip(')')})" if " (" in f["name"] else f["rule"]
        for f in ended.report["findings"]
        if f["kernel"] == name
    )


def paths(ended: Ended, name: str) -> dict[str, str]:
    """By condition, the path that the worker saw; "" where there was no answer."""
    (kernel,) = [k for k in ended.report["kernels"] if k["name"] == name]
    return {d["condition"]: d["cases"][0]["path"] for d in kernel["drills"] if d["cases"]}


def not_met(ended: Ended, name: str) -> list[str]:
    """Conditions that did not come about."""
    (kernel,) = [k for k in ended.report["kernels"] if k["name"] == name]
    return [d["condition"] for d in kernel["drills"] if any(case["not_met"] for case in d["cases"])]


def not_run(ended: Ended, name: str) -> dict[str, str]:
    (kernel,) = [k for k in ended.report["kernels"] if k["name"] == name]
    return {d["condition"]: d["not_run"] for d in kernel["drills"] if d["not_run"]}
