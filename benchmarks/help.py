"""
What `kgate --help` costs, beside an interpreter that does nothing, started in turn with it.

    python benchmarks/help.py [--repeats 20]

Exits 1 past the target: 0.2 s at the median, or twelve times the empty interpreter on a machine where that is more.
"""

import argparse
import statistics
import subprocess
import sys
import time

TARGET_S, TARGET_RATIO = 0.2, 12.0
EMPTY = [sys.executable, "-I", "-c", ""]
HELP = [sys.executable, "-I", "-m", "kgate", "--help"]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    seconds(HELP)  # the first start writes byte code
    pairs = [(seconds(EMPTY), seconds(HELP)) for _ in range(repeats)]
    empty_s, help_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    allowed_s = max(TARGET_S, TARGET_RATIO * empty_s)
    print(f"kgate --help {help_s:.3f} s, an empty interpreter {empty_s:.3f} s, allowed {allowed_s:.3f} s (n={repeats})")
    return int(help_s > allowed_s)


if __name__ == "__main__":
    sys.exit(main())
