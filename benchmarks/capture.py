"""
What `kgate capture` adds to a step of the small transformer: prompts read and tokens written with the entry points as
they are and watched, in turn in one process, so that both see the same machine. Times are of this thread's CPU.

    python benchmarks/capture.py [--rounds 60]

Runs itself under the interpreter that has torch (KGATE_TEST_WORKER_PYTHON, else this one). The datum is the ratio of
two neighbouring steps; prints its median with a 95 % interval. Exits 1 where the median is above 5 %.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ROOT / "tests" / "contract" / "evidence" / "product"
TARGET = 1.05
WARM_UP = 4  # rounds, in which bounds are taken of every signature
INSIDE = "KGATE_BENCHMARK_INSIDE"


def ratios(rounds: int) -> list[float]:
    """Watched over plain, of each round after the first few; which of them comes first takes turns."""
    sys.path[:0] = [str(ROOT), str(PRODUCT)]
    import torch

    from acme import model as product
    from acme import ops
    from kgate.worker.capture.hooks import wrap
    from kgate.worker.capture.tallies import Tallies

    torch.set_num_threads(1)
    names = ("linear_gelu", "softmax", "rows_of", "linear_gelu_custom", "softmax_custom", "rows_of_custom")
    plain = {name: getattr(ops, name) for name in names}
    tallies = Tallies(Path(tempfile.mkdtemp(prefix="kgate-benchmark-")), 512)
    for name in names[:3]:
        first = tallies.tally(f"acme.ops:{name}")
        wrap(ops, name, first)
        wrap(ops, f"{name}_custom", tallies.tally(f"acme.ops:{name}_custom", first))
    watched = {name: getattr(ops, name) for name in names}
    model, prompts = product.made()
    found = []
    with torch.inference_mode():
        for number in range(rounds):
            taken_ns = {}
            for kind in ("plain", "watched") if number % 2 else ("watched", "plain"):
                vars(ops).update(plain if kind == "plain" else watched)
                start_ns = time.thread_time_ns()
                for prompt in prompts:
                    product.serve(model, prompt, 8)
                taken_ns[kind] = time.thread_time_ns() - start_ns
            found.append(taken_ns["watched"] / taken_ns["plain"])
    return found[WARM_UP:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    chosen = parser.parse_args()
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable)
    if INSIDE not in os.environ:
        command = [python, __file__, "--rounds", str(chosen.rounds)]
        return subprocess.run(command, env={**os.environ, INSIDE: "1"}).returncode
    found = sorted(ratios(chosen.rounds))
    middle, margin = statistics.median(found), round(0.98 * len(found) ** 0.5)  # order statistics of the median
    low, high = found[max(0, len(found) // 2 - margin)], found[min(len(found) - 1, len(found) // 2 + margin)]
    print(f"watched / plain: {100 * (middle - 1):+.1f} % (95 %: {100 * (low - 1):+.1f} … {100 * (high - 1):+.1f} %)")
    print(f"target: {100 * (TARGET - 1):.0f} % of a step, {len(found)} rounds of 3 prompts and 24 tokens")
    return int(middle > TARGET)


if __name__ == "__main__":
    sys.exit(main())
