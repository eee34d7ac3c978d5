"""
Every specimen product under every condition, and whether the gate said what it must:

    python -m tests.drills.matrix --python PYTHON [--device cpu|cuda:0] [--only NAME …]

PYTHON has torch, and TileLang for two of them. Ends with 0 if every product was told what its docstring ends in.
"""

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from kgate.worker.conditions import CONDITIONS
from tests.contract.check.shop import Ended
from tests.drills.products import Specimen, drilled, not_met, not_run, paths, said, specimens, stocked

SIGNS = {"": ".", "custom": "c", "fallback": "f", "custom, then fallback": "cf", "neither": "?"}
LEGEND = (
    "c: answered by the custom path, f: by the fallback, cf: tried one and fell back, !: what the gate said of it, "
    "~: the condition did not come about, -: not run here"
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", action="append", default=[])
    given = parser.parse_args(arguments)
    members = [m for m in specimens(given.only) if runs_here(m, given.python, given.device)]
    with tempfile.TemporaryDirectory(prefix="drills-") as folder:
        shop = stocked(Path(folder) / "products", given.python, members)
        ended = drilled(shop, given.device)
    if not ended.report:
        print(ended.out + ended.err)
        return 1
    print(table(ended, members))
    print(f"\n{LEGEND}; {ended.report['wall_s']:.0f} s\n")
    missed = [line for m in members for line in wrong(ended, m, given.device)]
    print("\n".join(missed) or f"all {len(members)} products were told what they must be")
    return int(bool(missed))


def runs_here(member: Specimen, python: str, device: str = "cpu") -> bool:
    if member.tilelang and device != "cpu":
        return False
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tilelang') is None)"
    return not member.tilelang or not subprocess.run([python, "-c", asked], check=False).returncode


def table(ended: Ended, members: Sequence[Specimen]) -> str:
    """Condition × product."""
    columns = [column(ended, member) for member in members]
    names = ("switch-off", *CONDITIONS)
    rows = [(name, *(one[name] for one in columns)) for name in names]
    return tabulate(rows, ("condition", *(str(i) for i, _ in enumerate(members, 1)))) + "".join(
        f"\n{i:3} {member.name}" for i, member in enumerate(members, 1)
    )


def column(ended: Ended, member: Specimen) -> dict[str, str]:
    found = {name: SIGNS[path] for name, path in paths(ended, member.name).items()}
    found |= {name: f"{found[name]}~" for name in not_met(ended, member.name)}
    found |= dict.fromkeys(not_run(ended, member.name), "-")
    for finding in said(ended, member.name):
        rule, _, condition = finding.partition(" (")
        name = condition.rstrip(")") or "switch-off"
        found[name] = f"{found.get(name, '')}!{rule.removeprefix('fallback-')}"
    return found


def wrong(ended: Ended, member: Specimen, device: str) -> list[str]:
    found, expected = said(ended, member.name), member.expected(device)
    lines = [f"{member.name}: {finding} was not said" for finding in sorted(expected - found)]
    lines += [f"{member.name}: {finding} was said, and must not be" for finding in sorted(found - expected)]
    skipped, seen = not_run(ended, member.name), paths(ended, member.name)
    return lines + [
        f"{member.name}: its guard did not fire under {name}: {seen.get(name)}"
        for name in member.guard
        if name not in skipped and seen.get(name) != "fallback"
    ]


if __name__ == "__main__":
    if importlib.util.find_spec("tests") is None:
        sys.exit("start this from the root of the checkout")
    sys.exit(main())
