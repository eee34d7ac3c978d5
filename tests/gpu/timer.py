"""
How far launches of the same code differ, timed one call at a time and as the gate chooses:

    python tests/gpu/timer.py [--device cuda:0] [--seconds N] [--case NAME …]

Both arms run the same function. A launch is a fresh process of each, forked as in a run; every case is in it twice,
once held to single calls ("alone") and once left to the gate's choice, so that both see the same machine. The datum of
a launch is the median of log(head / base) over its pairs of samples. Table last; raw samples go to $OUT/timer.json.
Exits with 1 where the chosen timer's spread is above 0.3 % (0.1 ms and more) or 0.5 %, or a launch is off by more than
5 %.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kgate.model import BASE, HEAD, Arm, Event, LaunchTiming, Tree  # noqa: E402  the checkout, not an installed kgate
from kgate.protocol import SINGLE, CaseJob, Fill, TensorArg  # noqa: E402
from kgate.runner.choice import Choice, choice_of  # noqa: E402
from kgate.runner.lockstep import Schedule, run_launch  # noqa: E402
from kgate.runner.place import Workplace  # noqa: E402
from kgate.runner.zygote import Zygotes  # noqa: E402

FUNCTIONS = """\
import torch

def add(x, y):
    return x + y

def product(x, y):
    return x @ y

def softmax(x):
    return torch.softmax(x, dim=-1)
"""
ALONE, CHOSEN = "alone", "chosen"
CLUSTERS = 3
SHORT_NS, WIDE, NARROW, OFF = 100_000, 0.005, 0.003, 0.05


def job(entry: str, shape: tuple[int, ...], dtype: str, count: int = 2) -> CaseJob:
    fill = Fill(kind="uniform", a=-1.0, b=1.0)
    args = {name: TensorArg(shape=shape, dtype=dtype, fill=fill, stream=ord(name)) for name in "xy"[:count]}
    return CaseJob(case="", dsl="torch", entry=f"timed:{entry}", args=args, keywords=False, symbols={})


CASES: Mapping[str, CaseJob] = {
    "add-2us": job("add", (1 << 18,), "float32"),
    "add-7us": job("add", (1 << 20,), "float32"),
    "gemm-27us": job("product", (2048, 2048), "bfloat16"),
    "add-52us": job("add", (1 << 24,), "float32"),
    "softmax-0.1ms": job("softmax", (8192, 8192), "float32", 1),
    "gemm-0.17ms": job("product", (4096, 4096), "bfloat16"),
}


@dataclass(frozen=True, kw_only=True)
class Row:
    case: str
    way: str
    launches: Sequence[LaunchTiming]

    @property
    def logs(self) -> list[float]:
        return [datum(launch) for launch in self.launches]

    @property
    def ns(self) -> float:
        return statistics.median(statistics.median(launch.samples_ns["base"]) for launch in self.launches)

    def fields(self) -> tuple[str, ...]:
        last, logs = self.launches[-1], self.logs
        return (
            self.case,
            self.way,
            f"{last.method}, {last.notes['batch']} a sample",
            f"{self.ns / 1e3:.2f}",
            str(len(logs)),
            f"{statistics.stdev(logs) * 100:.3f}" if len(logs) > 1 else "–",
            f"{statistics.fmean(logs) * 100:+.3f}",
            f"{max(map(abs, logs)) * 100:.2f}",
        )

    @property
    def misses(self) -> bool:
        wanted = WIDE if self.ns < SHORT_NS else NARROW
        return statistics.stdev(self.logs) > wanted or max(map(abs, self.logs)) > OFF


def datum(launch: LaunchTiming) -> float:
    pairs = zip(launch.samples_ns["head"], launch.samples_ns["base"], strict=True)
    return statistics.median(math.log(head / base) for head, base in pairs)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--seconds", type=float, default=120.0)
    options.add_argument("--case", action="append", choices=CASES)
    asked = options.parse_args()
    until = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        (tree / "timed.py").write_text(FUNCTIONS)
        workplace = Workplace(
            python=dict.fromkeys(Tree, sys.executable),
            trees=dict.fromkeys(Tree, tree),
            folder=Path(folder) / "run",
            device=asked.device,
        )
        launches = measured(workplace, asked.case or list(CASES), until)
    return told([Row(case=c, way=w, launches=found) for (c, w), found in launches.items() if found])


def measured(workplace: Workplace, names: Sequence[str], until: float) -> dict[tuple[str, str], list[LaunchTiming]]:
    """Launches until the time is over, by case and way; at least two."""
    jobs = [replace(CASES[name], case=f"{name}/{way}") for name in names for way in (ALONE, CHOSEN)]
    arms: dict[Arm, list[CaseJob]] = {HEAD: jobs, BASE: jobs}
    method = SINGLE if workplace.device.startswith("cuda") else "cpu-monotonic"
    choices = {f"{name}/{ALONE}": Choice(method=method) for name in names}
    found: dict[tuple[str, str], list[LaunchTiming]] = {(name, way): [] for name in names for way in (ALONE, CHOSEN)}
    with Zygotes(["torch"], said, clusters=CLUSTERS) as zygotes:
        zygotes.warm(workplace, list(arms))
        number, longest = 0, 0.0
        while number < 2 or time.monotonic() + longest < until:
            began = time.monotonic()
            schedule = Schedule(method=method, choices=dict(choices), export_limit_bytes=0)
            launch = run_launch(workplace, arms, number, schedule, said, start=zygotes.start)
            for (name, way), timings in found.items():
                if (timing := launch.timings.get(f"{name}/{way}")) is not None and len(timing.samples_ns) == len(arms):
                    timings.append(timing)
                    choices.setdefault(f"{name}/{way}", choice_of(timing))
            for key, failure in launch.failures.items():
                print(*key, failure.text, failure.detail, sep="\n", flush=True)
            took = time.monotonic() - began
            print(f"launch {number}: {took:.1f} s", flush=True)
            number, longest = number + 1, max(longest, took) if number else 0.0
    return found


def said(event: Event) -> None:
    if event.name == "note":
        print(event.fields["text"], flush=True)


def told(rows: Sequence[Row]) -> int:
    if folder := os.environ.get("OUT"):
        raw = {f"{r.case}/{r.way}": [vars(launch) for launch in r.launches] for r in rows}
        Path(folder, "timer.json").write_text(json.dumps(raw))
    table = [
        ("case", "way", "method", "µs", "launches", "spread %", "mean %", "largest %"),
        *(r.fields() for r in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for fields in table:
        print("  ".join(field.ljust(width) for field, width in zip(fields, widths, strict=True)).rstrip())
    missed = [row for row in rows if row.way == CHOSEN and row.misses]
    for row in missed:
        print(f"{row.case}: above what the chosen timer is held to")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
