"""
Puts every specimen as the custom path into an otherwise good repository, runs the gate, and keeps score:

    python -m tests.zoo.run --python PYTHON [--device cuda:0] [--only PATTERN …] [--keep FOLDER] [--verbose]

PYTHON has torch. Ends with 0 if every due specimen is caught, at least 95 % of them by the rule that its docstring
names, and no honest kernel is blamed; what the docstrings themselves call missed is counted, and excused.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.contract.check.shop import Ended
from tests.zoo.repository import Place, judged, refusal
from tests.zoo.scorecard import Row, ended_well, lines, row
from tests.zoo.specimen import TOGETHER, Specimen, specimens

SIDE_BY_SIDE = 2
LAST = "timing"  # beside nothing else


def main(arguments: Sequence[str] | None = None) -> int:
    given = options(arguments)
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        place = Place(folder=Path(given.keep or folder).resolve(), python=given.python, device=given.device)
        rows = scored(specimens(given.only), place)
    print("\n".join(lines(rows, verbose=given.verbose)))
    return 0 if ended_well(rows) else 1


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.zoo.run", description="the zoo's scorecard")
    parser.add_argument("--python", required=True, help="interpreter with torch")
    parser.add_argument("--device", default="cpu", help="cpu or cuda:N")
    parser.add_argument("--only", action="append", default=None, help="names that fit this pattern")
    parser.add_argument("--keep", default="", help="leave the repositories here")
    parser.add_argument("--verbose", action="store_true", help="with what the gate said")
    given = parser.parse_args(arguments)
    given.only = given.only or ["*"]
    return given


def scored(members: Iterable[Specimen], place: Place) -> list[Row]:
    """One row per specimen, in the order given."""
    members = list(members)
    on_gpu = place.device.startswith("cuda")
    refused = {m.name: refusal(m, place.folder / "manifests") for m in members}
    here = [m for m in members if not m.waits_for and not refused[m.name] and (on_gpu or not m.needs_gpu)]
    ended = runs(here, place)
    return [row(m, ended.get(m.name), refused[m.name], on_gpu) for m in members]


def runs(members: Iterable[Specimen], place: Place) -> Mapping[str, Ended]:
    """By specimen, the run that it was in."""
    batches: dict[str, list[Specimen]] = {}
    for number, member in enumerate(members):
        half = f"-{number % SIDE_BY_SIDE}" if member.batch == TOGETHER else ""
        batches.setdefault(member.batch + half, []).append(member)
    first = sorted((name for name in batches if name != LAST), key=lambda name: -len(batches[name]))
    with ThreadPoolExecutor(max_workers=1 if place.device.startswith("cuda") else SIDE_BY_SIDE) as pool:
        found = dict(zip(first, pool.map(lambda name: judged(place, name, batches[name]), first), strict=True))
    if LAST in batches:
        found[LAST] = judged(place, LAST, batches[LAST])
    return {member.name: found[name] for name, each in batches.items() for member in each}


if __name__ == "__main__":
    sys.exit(main())
