"""
What the checks of answers add to a run: calls at other moments, and variants of every workload.

    python -m benchmarks.correctness FOLDER [--python PYTHON]

FOLDER is a repository with kgate.yaml (`python3 examples/stage.py quickstart FOLDER` makes one). Every arm answers with
these checks and without them; told is the difference per workload.
"""

import argparse
import os
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from unittest import mock

from kgate import correctness, setting
from kgate.model import Arm
from kgate.options import Options
from kgate.protocol import CaseJob

LIMIT_S = 2.0  # what each workload may cost, on two cores


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.correctness", description="the cost of the checks of answers")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=os.environ.get("KGATE_PYTHON", ""), help="interpreter with torch")
    given = parser.parse_args()
    os.chdir(given.folder)
    plain_s, _, _ = answered(given.python, full=False)
    full_s, workloads, variants = answered(given.python, full=True)
    each_s = (full_s - plain_s) / workloads
    print(f"{workloads} workloads, {variants} variants: {plain_s:.1f} s without, {full_s:.1f} s with the checks")
    load = os.getloadavg()[0]
    print(f"{each_s:.2f} s a workload, of at most {LIMIT_S:g} s on two idle cores; load average {load:.1f}")
    return int(each_s > LIMIT_S)


def answered(python: str, *, full: bool) -> tuple[float, int, int]:
    """Seconds that the answers took, with the numbers of workloads and variants."""
    ready = setting.prepare(Options(manifest=Path("kgate.yaml"), python=python, device="cpu"), lambda event: None)
    if not full:
        ready = replace(ready, plan=replace(ready.plan, variants={}))
    ready.ledger.path.unlink(missing_ok=True)
    try:
        with setting.zygotes(ready, lambda event: None) as here:
            began = time.perf_counter()
            if full:
                correctness.answers(here, lambda event: None)
            else:
                with mock.patch.object(correctness, "closely", untouched):
                    correctness.answers(here, lambda event: None)
            took_s = time.perf_counter() - began
        return took_s, len(ready.plan.cases), len(ready.plan.variants)
    finally:
        setting.clean(ready, {})
        ready.ledger.path.unlink(missing_ok=True)


def untouched(arm: Arm, work: Iterable[CaseJob]) -> tuple[CaseJob, ...]:
    return tuple(work)


if __name__ == "__main__":
    raise SystemExit(main())
