"""
What the gate says of kernels that nobody here wrote and that are right: torch's operators against their decompositions.

    python benchmarks/opinfo.py [--dtype float32 --dtype bfloat16] [--python PYTHON]

PYTHON (default: KGATE_TEST_WORKER_PYTHON) has torch. For every operator of torch's database that has a decomposition in
torch._refs, on its own samples: the decomposition is the custom path, the operator the fallback, the operator on
float64 the reference; compared and bounded as `kgate check` does. Every blame has to have its reason below; one without
a reason ends in 1. So does a reason that nothing needs any more.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.compare import compare
from kgate.model import Bound, Comparison, Tensor
from kgate.tensors import DTYPES
from kgate.tolerance import cap, derived

ANSWERS = Path(__file__).with_name("decompositions") / "answers.py"
LEAST_OPERATORS = 200

RANDOM = "true: both draw at random, from other places of the generator's stream"
CANCELS = "not the kernel's doing: both arms alike, by what is left where sums of larger terms cancel"

# Every blame that was examined, by dtype ("" for any) and operator, with what was found.
REASONS: Mapping[tuple[str, str], str] = {
    **{("", name): RANDOM for name in ("cauchy", "exponential", "geometric", "log_normal", "normal")},
    **{("", name): RANDOM for name in ("normal/number_mean", "normal_/in_place")},
    ("float32", "nn.functional.pdist"): "true: squared distances as differences of products, which cancel",
    ("bfloat16", "div/trunc_rounding"): "true: the quotient is rounded to bfloat16 first, to 18 from below, then cut",
    ("float32", "stft"): CANCELS,
    ("bfloat16", "nn.functional.hinge_embedding_loss"): CANCELS,
}


@dataclass(frozen=True, kw_only=True)
class Blame:
    operator: str
    dtype: str
    sample: int
    who: str
    sentence: str

    @property
    def reason(self) -> str:
        return REASONS.get((self.dtype, self.operator), REASONS.get(("", self.operator), ""))


def main() -> int:
    parser = argparse.ArgumentParser(description="the gate on torch's operators and their decompositions")
    parser.add_argument("--dtype", action="append", default=None)
    parser.add_argument("--python", default=os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable))
    given = parser.parse_args()
    operators: set[str] = set()
    blames: list[Blame] = []
    samples = 0
    for dtype in given.dtype or ["float32", "bfloat16"]:
        with tempfile.TemporaryDirectory() as folder:
            for told in answered(given.python, Path(folder), dtype):
                if "problem" in told or not known(told):
                    continue
                samples += 1
                operators.add(str(told["operator"]))
                blames += judged(told, Path(folder), dtype)
    return reported(operators, samples, blames)


def answered(python: str, folder: Path, dtype: str) -> Iterator[Mapping[str, object]]:
    command = [python, os.fspath(ANSWERS), os.fspath(folder), dtype]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    yield from (json.loads(line) for line in done.stdout.splitlines())


def known(told: Mapping[str, object]) -> bool:
    """Whether kgate compares these dtypes, and the reference is none of a lower precision: a run refuses both."""
    narrow = any(t["dtype"] in ("float32", "bfloat16", "float16") for t in listed(told["reference"]))
    return not narrow and all(t["dtype"] in DTYPES for arm in ("fallback", "custom") for t in listed(told[arm]))


def judged(told: Mapping[str, object], folder: Path, dtype: str) -> Iterator[Blame]:
    """The fallback by the cap, then the custom path by what the fallback's own error allows."""
    arms = {arm: tensors(told[arm], folder) for arm in ("fallback", "custom", "reference")}
    longest = int(str(told["longest"]))
    caps = [cap(t.dtype, longest) for t in arms["fallback"]]
    fallback = compare(arms["fallback"], arms["reference"], None, caps)
    bounds = [bound(t, longest, fallback, i) for i, t in enumerate(arms["custom"])]
    custom = compare(arms["custom"], arms["reference"], arms["fallback"], bounds)
    for who, found in (("fallback", fallback), ("custom", custom)):
        broken = next((c for c in found if not c.holds), None)
        if broken is not None:
            words = broken.mismatch or f"{broken.broken[0]}; {place(broken)}"
            yield Blame(
                operator=str(told["operator"]), dtype=dtype, sample=int(str(told["sample"])), who=who, sentence=words
            )


def bound(tensor: Tensor, longest: int, fallback: Sequence[Comparison], index: int) -> Bound:
    own = fallback[index] if index < len(fallback) else None
    return derived(tensor.dtype, longest, own.metrics) if own and own.holds else cap(tensor.dtype, longest)


def place(comparison: Comparison) -> str:
    found = (comparison.metrics.get(name) for name in ("pattern", "worst"))
    return ", ".join(metric.where for metric in found if metric)


def tensors(told: object, folder: Path) -> list[Tensor]:
    return [
        Tensor(
            path=folder / t["path"],
            dtype=t["dtype"],
            shape=tuple(t["shape"]),
            strides=tuple(t["strides"]),
            device="cpu",
        )
        for t in listed(told)
    ]


def listed(told: object) -> list[dict[str, Any]]:
    assert isinstance(told, list)
    return told


def reported(operators: set[str], samples: int, blames: Sequence[Blame]) -> int:
    unexplained = [b for b in blames if not b.reason]
    for blame in blames:
        print(f"{blame.operator} {blame.dtype} sample {blame.sample}: {blame.who}: {blame.sentence}")
        print(f"    {blame.reason or 'NO REASON IS KNOWN'}")
    needed = {(b.dtype, b.operator) for b in blames} | {("", b.operator) for b in blames}
    idle = [key for key in REASONS if key not in needed]
    for dtype, operator in idle:
        print(f"nothing is blamed any more: {dtype} {operator}")
    blamed = {b.operator for b in blames}
    without = len({b.operator for b in unexplained})
    print(
        f"opinfo: {len(operators)} operators, {samples} samples; {len(blamed)} blamed, {without} of them without reason"
    )
    print(f"target: at least {LEAST_OPERATORS} operators, none without reason")
    return int(bool(unexplained or idle or len(operators) < LEAST_OPERATORS))


if __name__ == "__main__":
    sys.exit(main())
