"""
The way out on a CUDA GPU: `python tests/gpu/drills.py [--dsl tilelang,triton,cutile] [--no-products]`, where torch and
the DSLs are.

Stages examples/gallery once, runs `kgate drill` for each DSL's kernels, and prints condition × kernel of each: the path
that answered, and what the gate said of it. Then the specimen products of tests/drills, on the same GPU. Reports go to
$OUT. Exits with 1 where a verdict is not green or a product was not told what it must be.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[2]
SIGNS = {"": ".", "custom": "c", "fallback": "f", "custom, then fallback": "cf", "neither": "?"}
LEGEND = (
    "c: the custom path answered, f: the fallback, cf: the one failed and the other answered, ~: the condition did not "
    "come about, -: not run"
)


def main() -> int:
    arguments = parser().parse_args()
    tree = Path(arguments.folder)
    if not tree.exists():
        subprocess.run([sys.executable, str(ROOT / "examples/stage.py"), "gallery", str(tree)], check=True)
    results = Path(os.environ.get("OUT") or tempfile.mkdtemp(prefix="drills-"))
    dsls = arguments.dsl.split(",")
    codes = [drilled(dsl, tree, results, arguments) for dsl in dsls]
    for dsl in dsls:
        print(f"\n{dsl}\n{matrix(results / dsl / 'report.json')}")
    print(f"\n{LEGEND}", flush=True)
    if arguments.products:
        codes.append(products(arguments))
    return int(any(codes))


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--dsl", default="tilelang,triton,cutile", help="which, with commas between them")
    found.add_argument("--folder", default="/tmp/kgate-drills", help="where the gallery is staged, and found again")
    found.add_argument("--device", default="cuda:0")
    found.add_argument("--python", default=sys.executable, help="the interpreter that has torch and the DSLs")
    found.add_argument("--no-products", dest="products", action="store_false", help="without the specimen products")
    return found


def drilled(dsl: str, tree: Path, results: Path, chosen: argparse.Namespace) -> int:
    """The exit code of one DSL's drills, with their report in results/DSL."""
    started = time.monotonic()
    options = ["--device", chosen.device, "--python", chosen.python, "--kernel", f"*_{dsl}"]
    command = [sys.executable, "-m", "kgate", "drill", *options, "--results", str(results / dsl)]
    # The gallery's dispatchers are kgate_dispatch's, which the worker has to find as well.
    path = os.pathsep.join((str(ROOT), str(ROOT / "dispatch"), os.environ.get("PYTHONPATH", "")))
    code = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": path}, check=False).returncode
    print(f"{dsl}: exit {code} after {time.monotonic() - started:.0f} s", flush=True)
    return code


def products(chosen: argparse.Namespace) -> int:
    command = [sys.executable, "-m", "tests.drills.matrix", "--python", chosen.python, "--device", chosen.device]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def matrix(report: Path) -> str:
    """Condition × kernel."""
    if not report.exists():
        return "not run: no report"
    body = json.loads(report.read_text())
    kernels = [kernel for kernel in body["kernels"] if any(drill["cases"] for drill in kernel["drills"])]
    if not kernels:
        return "not run: no kernel is for this device"
    said = {(f["kernel"], f["name"].partition(" (")[2].rstrip(")")): f["rule"] for f in body["findings"]}
    rows = [
        (drill["condition"], *(cell(kernel["drills"][index], kernel["name"], said) for kernel in kernels))
        for index, drill in enumerate(kernels[0]["drills"])
    ]
    numbers = [str(number) for number, _ in enumerate(kernels, 1)]
    names = "\n".join(f"{number:>3} {kernel['name']}" for number, kernel in zip(numbers, kernels, strict=True))
    skipped = {drill["condition"]: drill["not_run"] for kernel in kernels for drill in kernel["drills"]}
    reasons = "\n".join(f"not run: {name}: {why}" for name, why in skipped.items() if why)
    return "\n".join(filter(None, (tabulate(rows, ("condition", *numbers)), names, reasons)))


def cell(drill: dict[str, Any], kernel: str, said: dict[tuple[str, str], str]) -> str:
    if drill["not_run"]:
        return "-"
    paths = "|".join(dict.fromkeys(SIGNS.get(case["path"], "?") for case in drill["cases"]))
    paths += "~" * any(case["not_met"] for case in drill["cases"])
    rule = said.get((kernel, drill["condition"]), "")
    return f"{paths}!{rule.removeprefix('fallback-')}" if rule else paths


if __name__ == "__main__":
    sys.exit(main())
