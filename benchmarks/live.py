"""
A full run of the gate on a hundred cases: `python benchmarks/live.py [--device cuda|cpu] [--launches 8]`.

Twenty kernels of five families (add, softmax, GEMM, RMSNorm, attention) in torch, Triton and TileLang, five workloads
each, base against head and the fallback, in a repository made for it (hundred/). On a CPU, in small: five kernels in
torch with two workloads each. Prints the wall clock by phase, what launches waited for, and the share of the timed half
that is device work of its samples, the flush before each included. --plant KERNEL/WORKLOAD makes head 5 % slower in
one case (--dose: more or less); then the run has to end red, with that case first and confirmed.

Exits 1 where the verdict is another, or, on a GPU, past a target: five minutes without compiling, 30 % device work.
--profile FILE keeps a profile of the gate's own process, for pstats; raw events and the report go to $OUT, if set.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hundred import repository  # noqa: E402
from tabulate import tabulate  # noqa: E402

from kgate.errors import ExitCode  # noqa: E402  the checkout, not an installed kgate

TARGET_S, TARGET_SHARE = 300.0, 0.30
Line = dict[str, Any]


@dataclass(kw_only=True)
class Run:
    """What one run said, each line with the seconds since it was started."""

    code: int = 0
    lines: list[tuple[float, Line]] = field(default_factory=list)

    def of(self, name: str) -> list[tuple[float, Line]]:
        return [(at_s, line) for at_s, line in self.lines if line["event"] == name]


def main() -> int:
    options = parsed()
    with tempfile.TemporaryDirectory(prefix="kgate-live-") as scratch:
        folder = repository.made(Path(scratch) / "hundred", options.device)
        results = Path(os.environ.get("OUT") or scratch)
        plant = planted(folder, options) if options.plant else None
        repository.change(folder, options.device, plant)
        run = checked(folder, results, options)
        report = json.loads((results / "report.json").read_text(encoding="utf-8"))
    figures = told(run, report)
    missed = list(misses(run, report, figures, options))
    print(*missed, sep="\n", end="\n" if missed else "")
    return int(bool(missed))


def parsed() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    options.add_argument("--launches", type=int, help="[default: 8 on a GPU, 5 on a CPU; until decided with --plant]")
    options.add_argument("--python", default=os.environ.get("KGATE_TEST_WORKER_PYTHON") or sys.executable)
    options.add_argument("--plant", default="", metavar="KERNEL/WORKLOAD")
    options.add_argument("--dose", type=float, default=0.05, help="how much slower a plant is")
    options.add_argument("--kernel", default="", metavar="GLOB", help="these alone, to try something")
    options.add_argument("--gpus", default="", metavar="N", help="as kgate check has it")
    options.add_argument("--profile", default="", metavar="FILE")
    chosen = options.parse_args()
    if chosen.launches is None and not chosen.plant:
        chosen.launches = 8 if chosen.device == "cuda" else 5
    return chosen


def planted(folder: Path, options: argparse.Namespace) -> tuple[str, str, int]:
    """Kernel, workload and how long to spin there: measured first, so that the dose is what is said."""
    kernel, _, workload = options.plant.partition("/")
    family = next((family for name, family, *_ in repository.kernels(options.device) if name == kernel), None)
    if family is None or workload not in repository.workloads(family, options.device):
        sys.exit(f"--plant {options.plant}: no such case")
    sizes = {str(name): str(value) for name, value in repository.workloads(family, options.device)[workload].items()}
    arguments = [
        "x".join(sizes.get(word.strip(), word.strip()) for word in shape.strip("[]").split(","))
        for shape in family.args.values()
    ]
    script = Path(repository.__file__).with_name("length.py")
    command = [options.python, str(script), str(folder), kernel, options.device, sizes["D"], *arguments]
    call_ns, cycles_per_ns = map(float, subprocess.run(command, check=True, capture_output=True).stdout.split())
    print(f"{options.plant} takes {call_ns / 1e3:.2f} µs; {options.dose:.0%} of it are planted in head", flush=True)
    return kernel, workload, round(options.dose * call_ns * cycles_per_ns)


def checked(folder: Path, results: Path, options: argparse.Namespace) -> Run:
    profile = ["-m", "cProfile", "-o", str(Path(options.profile).resolve())] if options.profile else []
    command = [sys.executable, *profile, "-m", "kgate", "check", "--stream", "--device", options.device]
    command += ["--python", options.python, "--results", str(results)]
    for flag in ("launches", "kernel", "gpus"):
        if getattr(options, flag):
            command += [f"--{flag}", str(getattr(options, flag))]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    run, began = Run(), time.monotonic()
    print(shlex.join(command[1:]), flush=True)
    with (
        (results / "stream.jsonl").open("w", encoding="utf-8") as kept,
        subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE) as gate,
    ):
        assert gate.stdout is not None
        for text in gate.stdout:
            run.lines.append((time.monotonic() - began, json.loads(text)))
            kept.write(json.dumps({"at_s": round(run.lines[-1][0], 3), **run.lines[-1][1]}) + "\n")
    run.code = gate.returncode
    return run


def told(run: Run, report: Line) -> Mapping[str, float]:
    """Prints the tables. `apart`: seconds of the run without compiling; `share`: of the timed half in device work."""
    cost_s = report["cost_s"]
    launches = [line for _, line in run.of("launch-ended")]
    begun = [at_s for at_s, _ in run.of("look-started")]
    timing_s = run.of("launch-ended")[-1][0] - begun[0] if launches else 0.0
    busy_s = sum(line["busy_s"] for line in launches)
    # The share is of the launches: the comparison of their samples comes after the last one, on the host.
    found = {"apart": report["wall_s"] - cost_s.get("compile", 0.0), "share": busy_s / timing_s if timing_s else 0.0}
    cases, arms = len(report["cases"]), max((len(line["start_s"]) for line in launches), default=0)
    print(f"\n{cases} cases, {arms} arms, {len(launches)} launches on {report['device']}: verdict {report['verdict']}")
    rows = [(name, f"{seconds:.1f}") for name, seconds in (*cost_s.items(), ("in all", report["wall_s"]))]
    print(tabulate([*rows, ("in all, without compiling", f"{found['apart']:.1f}")], headers=("phase", "s")))
    print()
    print(tabulate(list(waits(launches, timing_s)), headers=("in launches, waited for", "s", "ms a case and launch")))
    gpu_s = cost_s.get("answers", 0.0) + cost_s.get("times", 0.0)
    print(
        f"\ndevice work of samples with flushes: {busy_s:.1f} s, {found['share']:.1%} of {timing_s:.1f} s of launches"
    )
    print(f"cost: the GPU was held for {gpu_s:.0f} s, {gpu_s / max(1, cases):.1f} s a case")
    return found


def waits(launches: list[Line], timing_s: float) -> Iterator[tuple[str, str, str]]:
    taken = max(1, sum(line["cases"] for line in launches))
    names = list(dict.fromkeys(name for line in launches for name in line["spent_s"]))
    spent_s = {name: sum(line["spent_s"].get(name, 0.0) for line in launches) for name in names}
    spent_s["the gate itself, and between launches"] = timing_s - sum(spent_s.values())
    for name, seconds in spent_s.items():
        yield name, f"{seconds:.1f}", f"{1e3 * seconds / taken:.1f}"


def misses(run: Run, report: Line, found: Mapping[str, float], options: argparse.Namespace) -> Iterator[str]:
    slower = [f for f in report["findings"] if f["rule"] == "slower-than-base" and f["blocks"] and not f["undecided"]]
    names = [finding["name"] for finding in slower]
    if names != [options.plant] * bool(options.plant):
        yield f"missed: called slower {', '.join(names) or 'none'}, planted {options.plant or 'none'}"
    if slower and "confirmed by" not in slower[0]["sentence"]:
        yield f"missed: {slower[0]['sentence']}"
    if slower:
        print(slower[0]["sentence"])
    if options.plant and report["findings"][0]["name"] != options.plant:
        yield f"missed: the report begins with {report['findings'][0]['name']}"
    undecided = options.device == "cpu" and run.code == ExitCode.NO_VERDICT  # two cores, and whoever else uses them
    if not options.plant and run.code and not undecided:
        yield f"missed: exit code {run.code}; " + "; ".join(f["sentence"] for f in report["findings"][:3])
    if options.device == "cuda" and not options.kernel and not options.plant:
        if found["apart"] > TARGET_S:
            yield f"missed: {found['apart']:.0f} s without compiling, at most {TARGET_S:.0f} s were wanted"
        if found["share"] < TARGET_SHARE:
            yield f"missed: {found['share']:.1%} device work, at least {TARGET_SHARE:.0%} were wanted"


if __name__ == "__main__":
    sys.exit(main())
