"""
What `kgate plan` costs in a repository of many kernels, for a change of one file, as a process of its own.

    python benchmarks/plan.py [--kernels 200] [--repeats 5]

Exits 1 past the target, or where the plan names other kernels than those that rest on the file.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from planned.repository import Drawn, drawn

TARGET_S = 5.0
ROOT = Path(__file__).resolve().parents[1]
CHANGED = "acme/shared/s003.py"
GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.com")


def written(root: Path, known: Drawn) -> None:
    known.write(root)
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "drawn")):
        subprocess.run([*GIT, "-C", str(root), *words], check=True)
    (root / CHANGED).write_text(known.files[CHANGED] + "# changed\n")


def planned(root: Path) -> tuple[float, set[str]]:
    """Seconds, and the kernels that are named."""
    command = [sys.executable, "-m", "kgate", "plan", "--format", "json"]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=root, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, stdout=subprocess.PIPE
    )
    seconds = time.perf_counter() - start
    (device,) = json.loads(done.stdout)["devices"]
    return seconds, {kernel["name"] for kernel in device["kernels"] if kernel["status"] == "changed"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    known = drawn(options.kernels, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder), known)
        runs = [planned(Path(folder)) for _ in range(options.repeats)]
    median_s = statistics.median(seconds for seconds, _ in runs)
    right = all(named == known.resting_on(CHANGED) for _, named in runs)
    print(
        f"kgate plan {median_s:.2f} s for {options.kernels} kernels, {len(runs[0][1])} named, "
        f"{'rightly' if right else 'WRONGLY'}; allowed {TARGET_S:g} s (n={len(runs)})"
    )
    return int(median_s > TARGET_S or not right)


if __name__ == "__main__":
    sys.exit(main())
