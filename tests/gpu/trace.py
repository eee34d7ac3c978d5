"""
Whether kgate reads a CUDA trace as torch does: records the small transformer on a GPU, and compares every row of
torch's own table, host and device, with what kgate makes of the trace:

    python tests/gpu/trace.py [--device cuda:0] [--out FOLDER]      under an interpreter with torch; else also:
    python tests/gpu/trace.py --compare FOLDER                      under the gate's, where that is another one

Writes trace.json and table.json to FOLDER ($OUT, else a temporary one). Table last; exits with 1 where a share is off
by more than 0.1 percentage points or a number of calls differs.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

NEEDED = ("ijson", "jsonschema", "ruamel", "numpy")
PROFILED = ROOT / "tests" / "contract" / "evidence" / "profiled.py"


def compared(folder: Path) -> int:
    """Prints the largest differences; 1 where one is too large. Needs what the gate needs, and no torch."""
    from tests.contract.evidence.agreement import POINTS, differences

    found = sorted(differences(folder), key=lambda d: (-d.points, d.name))
    wrong = [d for d in found if d.points > POINTS or d.calls[0] != d.calls[1]]
    for each in (wrong or found)[:20]:
        print(f"{each.points:8.4f} points  {each.calls[0]:6} calls, torch {each.calls[1]:6}  {each.name[:80]}")
    print(f"{len(found)} rows, {len(wrong)} of them wrong; the largest difference is {found[0].points:.4f} points")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--out", type=Path, default=os.environ.get("OUT"))
    parser.add_argument("--compare", type=Path)
    chosen = parser.parse_args()
    if chosen.compare:
        return compared(chosen.compare)
    folder = Path(chosen.out or tempfile.mkdtemp(prefix="kgate-trace-"))
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, str(PROFILED), str(folder), chosen.device], check=True)
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        print(f"recorded in {folder}, not compared: {', '.join(missing)} not here; run --compare FOLDER where they are")
        return 0
    return compared(folder)


if __name__ == "__main__":
    sys.exit(main())
