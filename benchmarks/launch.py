"""
What one launch costs to start: a new process against a child forked from a zygote, for each arm of the quickstart.

    python benchmarks/launch.py [--device cpu|cuda:0] [--python PATH] [--launches N]

Counted from start or fork to the first answer: imports, device context, the first case's inputs and first calls. The
first launch of each way fills disk and compile caches and is left out. Raw seconds go to $OUT/launch.json, if set.
Exits 1 past a target, at the medians: a fork costs at most half of a new process on any device, and on CUDA less than
0.5 s with torch preloaded, less than 1 s with TileLang as well.

Without options, the device is KGATE_TEST_DEVICE, else the CPU, and the interpreter with torch and TileLang is
KGATE_TEST_WORKER_PYTHON, else this one.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tabulate import tabulate

from kgate.load import manifest as manifests
from kgate.model import FALLBACK, HEAD, Arm, Case, Tree
from kgate.plan import Plan, Target, jobs, plan
from kgate.protocol import TensorArg
from kgate.runner.lockstep import Schedule, run_launch
from kgate.runner.place import Workplace
from kgate.runner.process import Start, fresh
from kgate.runner.zygote import Zygotes

STAGE = Path(__file__).resolve().parent.parent / "examples" / "stage.py"
ONE = Schedule(blocks=2, samples_per_block=1, warmups=1)
CLUSTERS = 2
FORK_TO_NEW = 0.5
CUDA_FORK_S = {FALLBACK.name: 0.5, HEAD.name: 1.0}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default=os.environ.get("KGATE_TEST_DEVICE") or "cpu")
    options.add_argument("--python", default=os.environ.get("KGATE_TEST_WORKER_PYTHON") or sys.executable)
    options.add_argument("--launches", type=int, default=6)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "quickstart"
        subprocess.run([sys.executable, str(STAGE), "quickstart", str(tree)], check=True, stdout=subprocess.DEVNULL)
        (tree / ".run").mkdir()
        workplace = Workplace(
            python={Tree.HEAD: chosen.python}, trees={Tree.HEAD: tree}, folder=tree / ".run", device=chosen.device
        )
        new = seconds(workplace, tree, fresh, 1 + chosen.launches)
        packages = {HEAD: ("torch", "tilelang"), FALLBACK: ("torch",)}
        forked = {}
        for arm, preload in packages.items():
            with Zygotes(preload, lambda event: print(event.fields), clusters=CLUSTERS) as zygotes:
                forked |= seconds(workplace, tree, zygotes.start, CLUSTERS + chosen.launches, (arm,))
    told(new, forked, chosen.device)
    missed = list(misses(new, forked, chosen.device))
    print(*missed, sep="\n", end="\n" if missed else "")
    return int(bool(missed))


def seconds(
    workplace: Workplace, tree: Path, start: Start, launches: int, arms: Sequence[Arm] = (HEAD, FALLBACK)
) -> dict[str, list[float]]:
    """Of each arm, one number a launch; the arms are started one after another, so that none waits for the other."""
    kind = workplace.device.partition(":")[0]
    work = plan(manifests.load(tree / "kgate.yaml"), None, Target(kind=kind, name=kind))
    case = min((c for c in work.cases if c.kernel == "row_softmax"), key=lambda c: inputs_of(work, c))
    found: dict[str, list[float]] = {arm.name: [] for arm in arms}
    for number in range(launches):
        for arm in arms:
            launch = run_launch(workplace, {arm: jobs(work, arm, [case])}, number, ONE, lambda event: None, start=start)
            if launch.failures:
                raise SystemExit(f"{arm.name}: {launch.failures}")
            found[arm.name].append(launch.start_s[arm.name])
    warm = CLUSTERS if start is not fresh else 1
    return {name: values[warm:] for name, values in found.items()}


def inputs_of(work: Plan, case: Case) -> int:
    """Elements of its inputs: the smallest case is taken, so that drawing them is no part of the figure."""
    return sum(math.prod(arg.shape) for arg in work.workloads[case].args.values() if isinstance(arg, TensorArg))


def told(new: dict[str, list[float]], forked: dict[str, list[float]], device: str) -> None:
    rows = [
        (arm, way, len(values), f"{statistics.median(values):.2f}", f"{min(values):.2f}–{max(values):.2f}")
        for way, table in (("new process", new), ("fork", forked))
        for arm, values in table.items()
    ]
    print(f"{device}, {platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(tabulate(rows, headers=("arm", "started by", "n", "median s", "range s"), disable_numparse=True))
    if folder := os.environ.get("OUT"):
        Path(folder, "launch.json").write_text(json.dumps({"new": new, "forked": forked}))


def misses(new: dict[str, list[float]], forked: dict[str, list[float]], device: str) -> Iterator[str]:
    """A sentence for each target that the medians do not keep."""
    for arm, values in forked.items():
        fork_s, new_s = statistics.median(values), statistics.median(new[arm])
        if fork_s > FORK_TO_NEW * new_s:
            yield f"{arm}: a fork costs {fork_s / new_s:.2f} of a new process, more than {FORK_TO_NEW:g}"
        if device.startswith("cuda") and fork_s >= CUDA_FORK_S[arm]:
            yield f"{arm}: a fork costs {fork_s:.2f} s, not less than {CUDA_FORK_S[arm]:g} s"


if __name__ == "__main__":
    sys.exit(main())
