"""
The shipped examples through the whole gate on a CUDA GPU: `python tests/gpu/check.py [NAME…]`, run where torch is.

Stages each example, runs `kgate check` on it and prints its report; raw results go to $OUT/NAME. Exits with 1 where a
verdict is not the expected one: quickstart is green, broken fails.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = {"quickstart": (0,), "broken": (1,)}


def main() -> int:
    wrong = []
    for name in sys.argv[1:] or list(EXPECTED):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / name
            subprocess.run([sys.executable, str(ROOT / "examples/stage.py"), name, str(tree)], check=True)
            results = Path(os.environ.get("OUT", folder)) / name
            started = time.monotonic()
            command = [sys.executable, "-m", "kgate", "check", "--device", "cuda", "--results", str(results)]
            code = subprocess.run(
                [*command, "--python", sys.executable],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))},
            ).returncode
            print(
                f"{name}: exit {code} after {time.monotonic() - started:.0f} s, expected {EXPECTED[name]}", flush=True
            )
            if code not in EXPECTED[name]:
                wrong.append(name)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
