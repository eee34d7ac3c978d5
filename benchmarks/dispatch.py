"""
What kgate_dispatch adds to a call once decided, beside two dispatchers written by hand, in turn in one run: an `if` on
a constant, which cannot be switched while the process runs, and an `if` that reads its environment variable, which can.

    python benchmarks/dispatch.py [--rounds 50] [--calls 2000] [--torch]

With --torch, torch is imported first, as in a product: one more question, whether a compiler traces the call. Times are
of this thread's CPU, which what else the machine does disturbs least.
Exits 1 past the target: 1 µs at the median, or 1.5 times the `if` that reads its variable on a machine where that
is more.
"""

import argparse
import importlib
import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dispatch"))

from kgate_dispatch import condition, dispatch

TARGET_NS, TARGET_RATIO = 1000.0, 1.5
ENABLED = True
Call = Callable[[int, int], int]


def custom(x: int, y: int) -> int:
    return x


def fallback(x: int, y: int) -> int:
    return y


def constant_if(x: int, y: int) -> int:
    if ENABLED:
        return custom(x, y)
    return fallback(x, y)


def variable_if(x: int, y: int) -> int:
    if os.environ.get("BY_HAND", "1") == "1" and ENABLED:
        return custom(x, y)
    return fallback(x, y)


@dispatch(custom=custom, switch="DISPATCHED", needs=condition(lambda: ENABLED, "off"))
def dispatched(x: int, y: int) -> int:
    return y


@dispatch(custom=custom, switch="SWITCHED_OFF")
def switched_off(x: int, y: int) -> int:
    return y


@dispatch(custom=custom, switch="DISPATCHED", when=lambda x, y: x >= 0)
def accepted(x: int, y: int) -> int:
    return y


@dispatch(custom=custom, switch="DISPATCHED", when=lambda x, y: x < 0)
def refused(x: int, y: int) -> int:
    return y


ROWS: dict[str, Call] = {
    "the custom path called directly": custom,
    "if on a constant": constant_if,
    "if on os.environ, unset": variable_if,
    "kgate_dispatch, custom": dispatched,
    "kgate_dispatch, when= accepts": accepted,
    "kgate_dispatch, when= refuses": refused,
    "kgate_dispatch, switched off": switched_off,
}


def ns_per_call(call: Call, calls: int) -> float:
    start_ns = time.thread_time_ns()
    for _ in range(calls):
        call(1, 2)
    return (time.thread_time_ns() - start_ns) / calls


def measured(rounds: int, calls: int) -> dict[str, list[float]]:
    """ns of CPU per call of each row, one a round, in a new order each round; the first, which decides, is left out."""
    found: dict[str, list[float]] = {name: [] for name in ROWS}
    names = list(ROWS)
    for _ in range(rounds + 1):
        random.shuffle(names)
        for name in names:
            found[name].append(ns_per_call(ROWS[name], calls))
    return {name: samples[1:] for name, samples in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--torch", action="store_true")
    given = parser.parse_args()
    if given.torch:
        importlib.import_module("torch")
    os.environ["SWITCHED_OFF"] = "0"
    logging.getLogger("kgate_dispatch").setLevel("ERROR")
    ns = {name: statistics.median(samples) for name, samples in measured(given.rounds, given.calls).items()}
    direct, by_hand = ns["the custom path called directly"], ns["if on os.environ, unset"]
    print(f"{'CPU ns per call, median':34}{'call':>8}{'added':>8}{'added / if on os.environ':>27}")
    for name, value in ns.items():
        print(f"{name:34}{value:8.0f}{value - direct:8.0f}{(value - direct) / (by_hand - direct):27.2f}")
    added, allowed = ns["kgate_dispatch, custom"] - direct, max(TARGET_NS, TARGET_RATIO * (by_hand - direct))
    loaded = "torch imported" if given.torch else "without torch"
    print(f"added {added:.0f} ns, allowed {allowed:.0f} ns (n={given.rounds} rounds of {given.calls} calls, {loaded})")
    return int(added > allowed)


if __name__ == "__main__":
    sys.exit(main())
