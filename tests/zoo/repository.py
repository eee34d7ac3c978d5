"""
An otherwise good repository with the specimens of one batch in it, and the real gate run over them.

Two commits: every operator with its honest custom path, then each specimen's file in that path's place, with what it
declares.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.errors import ManifestError
from kgate.load.manifest import load
from tests.contract.check.shop import Ended, Shop
from tests.zoo.specimen import HERE, Specimen, dumped

GOOD = "from operators.{operator} import custom as kernel  # noqa: F401\n"
DISPATCH = """\
import os
from importlib import import_module

from operators.{operator} import fallback


def dispatch(*args, **kwargs):
    if os.environ.get("ZOO_{upper}", "1") == "1":
        return import_module("customs.{name}").kernel(*args, **kwargs)
    return fallback(*args, **kwargs)
"""
LIMIT_S = 1800  # of one run, on a machine that has other things to do
# A CPU's latency is noted only, unless a manifest asks for more.
TIMED = {"timing": {"slower-than-base": "fail", "unsteady": "warn"}}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where runs take place: a folder, the kernels' interpreter, the device."""

    folder: Path
    python: str
    device: str = "cpu"


def judged(place: Place, batch: str, members: Sequence[Specimen]) -> Ended:
    """One run of the gate over the batch."""
    shop = staged(place, batch, members)
    launches = "5" if batch in TIMED else "1"
    # Drills beyond the switch take processes of their own for each kernel; tests/drills is the zoo of those.
    few = ("--launches", launches, "--drills", "none", "--device", place.device)
    return shop.ended(shop.started("check", *few), LIMIT_S)


def staged(place: Place, batch: str, members: Sequence[Specimen]) -> Shop:
    root = place.folder / batch
    shutil.rmtree(root, ignore_errors=True)
    shop = Shop(root=root, python=place.python)
    root.mkdir(parents=True)
    shutil.copytree(HERE / "operators", root / "operators", ignore=shutil.ignore_patterns("__pycache__"))
    shop.write({f"{package}/__init__.py": "" for package in ("operators", "customs", "products")})
    shop.write({"kgate.yaml": dumped(manifest(members, batch, before=True)), ".gitignore": "__pycache__\n.kgate\n"})
    for member in members:
        words = {"name": member.name, "upper": member.name.upper(), "operator": member.operator}
        shop.write({f"customs/{member.name}.py": GOOD.format(**words)})
        shop.write({f"products/{member.name}.py": DISPATCH.format(**words)})
    shop.commit("Honest kernels")
    shop.write({"kgate.yaml": dumped(manifest(members, batch))})
    shop.write({f"customs/{member.name}.py": member.path.read_text(encoding="utf-8") for member in members})
    shop.commit("Specimens")
    return shop


def manifest(members: Iterable[Specimen], batch: str = "", *, before: bool = False) -> Mapping[str, Any]:
    """`before`: of the commit that the specimens are compared with."""
    return {
        "version": 1,
        "defaults": {"timeout_s": 10},
        "policy": TIMED.get(batch, {}),
        "kernels": {member.name: entry(member, member.before if before else member.entry) for member in members},
    }


def entry(member: Specimen, given: Mapping[str, Any]) -> Mapping[str, Any]:
    functions = {
        "owners": ["@zoo/kernels"],
        "dispatch": f"products.{member.name}:dispatch",
        "custom": f"customs.{member.name}:kernel",
        "fallback": f"operators.{member.operator}:fallback",
        "switch": {"env": f"ZOO_{member.name.upper()}", "custom": "1", "fallback": "0"},
        "targets": ["cuda"] if member.needs_gpu else ["cpu", "cuda"],
    }
    workloads = {name: {"source": "test", "weight": 0, **workload} for name, workload in given["workloads"].items()}
    return {**functions, **given, "workloads": workloads}


def refusal(member: Specimen, folder: Path) -> str:
    """What this version's manifest does not know yet and the specimen needs; "" if nothing."""
    path = folder / member.name / "kgate.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumped(manifest([member])), encoding="utf-8")
    try:
        load(path)
    except ManifestError as error:
        return str(error).partition(": ")[2]
    return ""
