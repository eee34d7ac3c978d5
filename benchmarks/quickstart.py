"""
What a newcomer waits for: `kgate check` on the quickstart, both environments being there.

    python benchmarks/quickstart.py [--python PATH]

Stages the example anew, so that nothing is resumed, and prints where the seconds went. Exits 1 past the target of 60 s
(meant for two cores that nobody else uses: the load is printed beside it), or where the check is not green. The
interpreter with torch and TileLang is KGATE_TEST_WORKER_PYTHON, if --python does not name one, else this one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STAGE = Path(__file__).resolve().parent.parent / "examples" / "stage.py"
TARGET_S = 60.0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--python", default=os.environ.get("KGATE_TEST_WORKER_PYTHON") or sys.executable)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree, results = Path(folder) / "quickstart", Path(folder) / "results"
        subprocess.run([sys.executable, str(STAGE), "quickstart", str(tree)], check=True, stdout=subprocess.DEVNULL)
        command = [sys.executable, "-I", "-m", "kgate", "check", "--device", "cpu", "--python", chosen.python]
        started = time.perf_counter()
        code = subprocess.run([*command, "--results", str(results)], cwd=tree, check=False).returncode
        seconds = time.perf_counter() - started
        if code:
            return code
        report = json.loads((results / "report.json").read_text(encoding="utf-8"))
    parts = ", ".join(f"{name} {part_s:.1f} s" for name, part_s in report["cost_s"].items())
    print(f"kgate check on the quickstart: {seconds:.1f} s ({parts}), verdict {report['verdict']}")
    print(f"{os.cpu_count()} cores, load average of the last minute {os.getloadavg()[0]:.1f}, target {TARGET_S:g} s")
    return int(seconds > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
