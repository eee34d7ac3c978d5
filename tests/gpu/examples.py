"""
A first look at the examples' CUDA schedules, without the gate's launches: `python tests/gpu/examples.py [TREE…]`.

Per workload: seconds of the first call (it compiles), the largest error of a row against float64, the bound it is held
to, and milliseconds of both paths. Needs the gate's packages, torch and TileLang in one interpreter, and a CUDA GPU.
Exits with 1 where a custom path raises, is wrong or returns another dtype.
"""

import math
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TREES = ("examples/quickstart", "examples/broken/base")
ROUNDING = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
WIDTHS = (28, 9, 10, 9, 9, 9, 9)


def row(*fields: str) -> str:
    first, *others = (f"{field:>{width}}" for field, width in zip(fields, WIDTHS, strict=True))
    return "  ".join((first.strip().ljust(WIDTHS[0]), *others))


def problem(answer: dict[str, Any]) -> str:
    custom, fallback = answer["custom"], answer["fallback"]
    if "raised" in custom:
        return str(custom["raised"])
    if custom["dtype"] != fallback.get("dtype"):
        return f"returns {custom['dtype']}, the fallback {fallback.get('dtype')}"
    if not 0 <= custom["error"] < bound(answer):
        return "wrong"
    return ""


def bound(answer: dict[str, Any]) -> float:
    """Twice the fallback's own error, two roundings of the output's dtype, and √L of float32 for sums of L terms."""
    roundings = 2 * ROUNDING[answer["custom"]["dtype"]] + math.sqrt(answer["longest"]) * ROUNDING["float32"]
    return float(2 * answer["fallback"]["error"] + roundings)


def shown(answer: dict[str, Any]) -> str:
    name = f"{answer['kernel']}/{answer['workload']}"
    if "raised" in answer["custom"]:
        return f"{name}: {answer['custom']['raised']}"
    custom, fallback = answer["custom_ms"], answer["fallback_ms"]
    numbers = (f"{answer['custom']['first_s']:.1f}", f"{answer['custom']['error']:.1e}", f"{bound(answer):.1e}")
    return row(name, *numbers, f"{custom:.4f}", f"{fallback:.4f}", f"{custom / fallback:.3f}") + f"  {problem(answer)}"


def main(trees: list[str], target: str = "cuda") -> int:
    sys.path.insert(0, str(ROOT))
    from tests.contract.examples.answers import asked

    print(row("workload", "first s", "error", "bound", "custom ms", "fallb. ms", "ratio"))
    found = [answer for tree in trees for answer in asked(sys.executable, (ROOT / tree).resolve(), target, "times")]
    for answer in found:
        print(shown(answer))
    return int(any(problem(answer) for answer in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(TREES)))
