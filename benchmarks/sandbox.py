"""
What the walls around a worker cost at its start: a process and a fork, within namespaces and without, in pairs.

    python benchmarks/sandbox.py [--python PATH] [--pairs 30]

Counted from start or fork until the worker has answered a question that needs no torch, and is gone. Both ways of a
pair follow upon each other, in an order that changes, so that what else the machine does meets both. Raw seconds go to
$OUT/sandbox.json, if set. Exits 1 where the walls cost more than 50 ms at the median, or there can be none.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
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


WAYS = ("without", "within")


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


def pairs(places: list[Workplace], starts: list[Start], count: int) -> list[tuple[float, float]]:
    """Seconds without and within; the first pair fills caches, and is left out."""
    found = []
    for turn in range(count + 1):
        taken = [0.0, 0.0]
        for way in (0, 1) if turn % 2 else (1, 0):
            begin = time.perf_counter()
            if ENTRY not in described(places[way], HEAD, [ENTRY], start=starts[way]):
                raise SystemExit(f"{WAYS[way]}: no answer")
            taken[way] = time.perf_counter() - begin
        found.append((taken[0], taken[1]))
    return found[1:]


def told(found: dict[str, list[tuple[float, float]]], walls: Sandbox, preload: str) -> int:
    rows, dearest_s = [], 0.0
    for way, times in found.items():
        without, within = (statistics.median(column) for column in zip(*times, strict=True))
        more_s = statistics.median(b - a for a, b in times)
        ratio = statistics.median(b / a for a, b in times)
        dearest_s = max(dearest_s, more_s)
        figures = (f"{1e3 * without:.0f}", f"{1e3 * within:.0f}", f"{1e3 * more_s:+.0f}", f"{ratio:.2f}")
        rows.append((way, len(times), *figures))
    print(f"{platform.machine()}, Linux {platform.release()}, preloaded: {preload or 'nothing'}")
    print(
        tabulate(rows, headers=("start", "pairs", "without ms", "within ms", "more ms", "ratio"), disable_numparse=True)
    )
    print(*(f"not here: {gap}" for gap in walls.gaps), sep="\n", end="\n" if walls.gaps else "")
    if folder := os.environ.get("OUT"):
        Path(folder, "sandbox.json").write_text(json.dumps(found))
    return int(dearest_s > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
