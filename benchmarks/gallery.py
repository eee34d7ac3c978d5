"""
Checks and times the kernels of examples/gallery on the GPU of this machine, against PyTorch.

    python benchmarks/gallery.py [--dsl tilelang,triton,cutile] [--only gemm,attention] [--tune] [--out DIR]

Every case is checked: the largest error, as a share of the largest expected value, must not exceed three times the
fallback's own or the dtype's step, both against the fallback in float64. Timed cases alternate with PyTorch in random
order, each sample between two CUDA events, behind a write of twice the L2 cache and a kernel that sleeps until the
launch is queued; figures are medians. With --tune, schedules are tried on each operator's first case.

A parent starts children that do the work: one that dies or hangs takes only its case with it. First, TileLang's kernels
are compiled side by side into its cache on disk. The table comes last; rows.jsonl in --out has all samples in ns. Exits
1 where a kernel is wrong, failed or was not reached; no time is judged. Started by the interpreter that has torch.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from operators.rows import failed, read_rows, rows_file, table

# In front: the gallery's package has this file's name.
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("examples/gallery", "dispatch")]

COMPILERS = max(1, min(12, (os.cpu_count() or 2) - 2))
RESTARTS = 6


def main() -> int:
    arguments = parser().parse_args()
    if arguments.role == "lead":
        return lead(arguments)
    from operators import children  # and torch

    if arguments.role == "compile":
        return children.compile_share(arguments, COMPILERS)
    return children.measure(arguments)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--dsl", default="tilelang,triton,cutile", help="which DSLs, with commas between them")
    found.add_argument("--only", default="", help="which operators; all by default")
    found.add_argument("--tune", action="store_true", help="try schedules too, and name the best")
    found.add_argument("--out", default="", help="folder for rows.jsonl; a temporary one by default")
    found.add_argument("--seconds", type=float, default=330, help="when to stop")
    found.add_argument("--role", default="lead", choices=("lead", "compile", "measure"), help=argparse.SUPPRESS)
    found.add_argument("--share", type=int, default=0, help=argparse.SUPPRESS)
    found.add_argument("--until", type=float, default=0, help=argparse.SUPPRESS)
    return found


def lead(arguments: argparse.Namespace) -> int:
    arguments.out = arguments.out or tempfile.mkdtemp(prefix="gallery-")
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    rows_file(arguments).unlink(missing_ok=True)
    arguments.until = time.time() + arguments.seconds
    if "tilelang" in arguments.dsl.split(","):
        compile_all(arguments)
    for _ in range(RESTARTS):
        if run_child(arguments, "measure").wait() == 0:
            break
    rows = read_rows(arguments)
    print(table(rows))
    return int(any(failed(row) for row in rows))


def run_child(arguments: argparse.Namespace, role: str, share: int = 0, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--role", role, "--dsl", arguments.dsl, "--only", arguments.only]
    command += ["--out", arguments.out, "--share", str(share), "--until", str(arguments.until)]
    return subprocess.Popen([*command, *(["--tune"] if arguments.tune else [])], **options)


def compile_all(arguments: argparse.Namespace) -> None:
    """Fills TileLang's cache, with a process per share of the cases; what fails here fails again where it is said."""
    started = time.time()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    children = [run_child(arguments, "compile", share, **quiet) for share in range(COMPILERS)]
    for child in children:
        try:
            child.wait(timeout=max(1.0, started + 0.4 * arguments.seconds - time.time()))
        except subprocess.TimeoutExpired:
            child.kill()
    print(f"TileLang's kernels compiled by {COMPILERS} processes in {time.time() - started:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
