"""
What the walls around a worker cost at its start: a process and a fork, within namespaces and without, in pairs.

    python benchmarks/sandbox.py [--python PATH] [--pairs 30]

Counted from start or fork until the worker has answered a question that needs no torch, and is gone; of a process the
processor time as well. Both ways of a pair follow upon each other, in an order that changes, so that what else the
machine does meets both. Raw seconds go to $OUT/sandbox.json, if set. Exits 1 where a process costs more than 50 ms of a
processor more at the median, or there can be no walls.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from kgate.errors import HostError
from kgate.model import HEAD, Event, Tree
from kgate.runner import sandbox
from kgate.runner.enquiry import described
from kgate.runner.place import Workplace
from kgate.runner.process import Start, fresh
from kgate.runner.sandbox import Sandbox
from kgate.runner.zygote import Zygotes

TARGET_S = 0.05
ENTRY = "asked:function"
WAYS = ("without", "within")


@dataclass(frozen=True, kw_only=True)
class Cost:
    wall_s: float
    processor_s: float


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--python", default=os.environ.get("KGATE_TEST_WORKER_PYTHON") or sys.executable)
    options.add_argument("--pairs", type=int, default=30)
    options.add_argument("--preload", default="", help="packages of the zygote, joined by commas")
    chosen = options.parse_args()
    try:
        walls = sandbox.chosen("namespaces")
    except HostError as error:
        raise SystemExit(str(error)) from error
    with tempfile.TemporaryDirectory() as folder:
        places = [placed(Path(folder, name), chosen.python, walls if name == "within" else Sandbox()) for name in WAYS]
        found = {"process": pairs(places, [fresh, fresh], chosen.pairs)}
        preload = tuple(filter(None, chosen.preload.split(",")))
        with Zygotes(preload, said) as without, Zygotes(preload, said) as within:
            found["fork"] = pairs(places, [without.start, within.start], chosen.pairs)
    return told(found, walls, chosen.preload)


def said(event: Event) -> None:
    raise SystemExit(str(event.fields.get("text")))


def placed(folder: Path, python: str, walls: Sandbox) -> Workplace:
    (folder / ".kgate" / "run").mkdir(parents=True)
    (folder / "asked.py").write_text("def function():\n    pass\n")
    return Workplace(
        python={Tree.HEAD: python},
        trees={Tree.HEAD: folder},
        folder=folder / ".kgate" / "run",
        device="cpu",
        sandbox=walls,
    )


def pairs(places: list[Workplace], starts: list[Start], count: int) -> list[tuple[Cost, Cost]]:
    """Without and within; the first pair fills caches, and is left out."""
    found = []
    for turn in range(count + 1):
        taken = {}
        for way in (0, 1) if turn % 2 else (1, 0):
            taken[way] = cost(places[way], starts[way])
        found.append((taken[0], taken[1]))
    return found[1:]


def cost(place: Workplace, start: Start) -> Cost:
    before, begin = processor_s(), time.perf_counter()
    if ENTRY not in described(place, HEAD, [ENTRY], start=start):
        raise SystemExit("a worker gave no answer")
    return Cost(wall_s=time.perf_counter() - begin, processor_s=processor_s() - before)


def processor_s() -> float:
    """Of all children that have ended, and of theirs; a zygote's are not among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(found: dict[str, list[tuple[Cost, Cost]]], walls: Sandbox, preload: str) -> int:
    print(f"{platform.machine()}, Linux {platform.release()}, preloaded: {preload or 'nothing'}")
    rows = [row("process", "wall", [(a.wall_s, b.wall_s) for a, b in found["process"]])]
    rows.append(row("process", "processor", [(a.processor_s, b.processor_s) for a, b in found["process"]]))
    rows.append(row("fork", "wall", [(a.wall_s, b.wall_s) for a, b in found["fork"]]))
    headers = ("start", "time", "pairs", "without ms", "within ms", "more ms", "ratio")
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print(*(f"not here: {gap}" for gap in walls.gaps), sep="\n", end="\n" if walls.gaps else "")
    if folder := os.environ.get("OUT"):
        plain = {way: [[vars(cost) for cost in pair] for pair in costs] for way, costs in found.items()}
        Path(folder, "sandbox.json").write_text(json.dumps(plain))
    return int(statistics.median(b.processor_s - a.processor_s for a, b in found["process"]) > TARGET_S)


def row(start: str, what: str, seconds: list[tuple[float, float]]) -> tuple[str, ...]:
    without, within = (1e3 * statistics.median(column) for column in zip(*seconds, strict=True))
    more = 1e3 * statistics.median(b - a for a, b in seconds)
    ratio = statistics.median(b / a for a, b in seconds)
    return (start, what, str(len(seconds)), f"{without:.0f}", f"{within:.0f}", f"{more:+.0f}", f"{ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
