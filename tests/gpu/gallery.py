"""
The gallery through the whole gate on a CUDA GPU: `python tests/gpu/gallery.py [--dsl tilelang,triton,cutile]`, where
torch and the DSLs are.

Stages examples/gallery once, runs `kgate check` for each DSL's kernels, records the baseline of every run that is
green, and prints a table of each DSL last. Reports, baseline and what was compiled go to $OUT. Exits with 1 where a
verdict is not green.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kgate.load import manifest as manifests  # noqa: E402  the checkout's, whatever else is installed

TERA = 1e12
HEADERS = ("case", "custom µs", "torch µs", "custom / torch", "95 %", "rate", "launches", "timer")


def main() -> int:
    arguments = parser().parse_args()
    tree = Path(arguments.folder)
    if not tree.exists():
        subprocess.run([sys.executable, str(ROOT / "examples/stage.py"), "gallery", str(tree)], check=True)
    results = Path(os.environ.get("OUT") or tempfile.mkdtemp(prefix="gallery-"))
    codes = [checked(dsl, tree, results, arguments) for dsl in arguments.dsl.split(",")]
    shutil.copytree(tree / "ci/kgate", results / "baseline", dirs_exist_ok=True)
    for dsl in arguments.dsl.split(","):
        print(f"\n{dsl}\n{table(tree, results / dsl / 'report.json')}")
    return int(any(codes))


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--dsl", default="tilelang,triton,cutile", help="which, with commas between them")
    found.add_argument("--folder", default="/tmp/kgate-gallery", help="where the gallery is staged, and found again")
    found.add_argument("--launches", type=int, default=8)
    found.add_argument("--device", default="cuda")
    found.add_argument("--python", default=sys.executable, help="the interpreter that has torch and the DSLs")
    return found


def checked(dsl: str, tree: Path, results: Path, chosen: argparse.Namespace) -> int:
    """The exit code of one DSL's check, with its report in results/DSL; a green one becomes the baseline."""
    started = time.monotonic()
    options = ["--base", "none", "--device", chosen.device, "--python", chosen.python]
    options += ["--launches", str(chosen.launches)]
    dump = Path(tempfile.mkdtemp(prefix="compiled-"))
    code = kgate(tree, "check", *options, "--kernel", f"*_{dsl}", "--results", str(results / dsl), "--dump", str(dump))
    print(f"{dsl}: exit {code} after {time.monotonic() - started:.0f} s", flush=True)
    if dump.exists():
        shutil.make_archive(str(results / f"{dsl}-compiled"), "gztar", dump)
    if code == 0:
        kgate(tree, "baseline", "record", "--from", str(results / dsl))
    return code


def kgate(tree: Path, *arguments: str) -> int:
    path = os.pathsep.join((str(ROOT), str(ROOT / "dispatch"), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-m", "kgate", *arguments]
    return subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": path}, check=False).returncode


def table(tree: Path, report: Path) -> str:
    if not report.exists():
        return "not run: no report"
    declared = {k.name: {w.name: w for w in k.workloads} for k in manifests.load(tree / "kgate.yaml").kernels}
    body = json.loads(report.read_text())
    rows = [row(case, declared[case["kernel"]][case["workload"]]) for case in body["cases"] if case["latency"]]
    untimed = [case["name"] for case in body["cases"] if not case["latency"]]
    note = f"\nnot timed: {', '.join(untimed)}" if untimed else ""
    return tabulate(rows, HEADERS, disable_numparse=True) + note


def row(case: dict[str, Any], workload: Any) -> tuple[str, ...]:
    latency = case["latency"]
    custom_ns, torch_ns = (latency["median_ns"].get(arm) for arm in ("head", "fallback"))
    ratio = next((r for r in latency["ratios"] if (r["above"], r["below"]) == ("head", "fallback")), None)
    return (
        f"{case['kernel']}/{case['workload']}",
        f"{custom_ns / 1e3:.2f}" if custom_ns else "",
        f"{torch_ns / 1e3:.2f}" if torch_ns else "",
        f"{ratio['median']:.3f}" if ratio else "",
        f"{ratio['low']:.3f} … {ratio['high']:.3f}" if ratio else "",
        rate(custom_ns, workload),
        str(ratio["launches"]) if ratio else "",
        latency["method"],
    )


def rate(ns: float | None, workload: Any) -> str:
    """By what an H200 is limited by: above some hundred operations a byte it is arithmetic."""
    if not ns or not workload.moved_bytes:
        return ""
    if (workload.flops or 0) > 100 * workload.moved_bytes:
        return f"{workload.flops / ns * 1e9 / TERA:.0f} TFLOP/s"
    return f"{workload.moved_bytes / ns * 1e9 / TERA:.2f} TB/s"


if __name__ == "__main__":
    sys.exit(main())
