"""Times, ratios of times and what was decided about them, as the JSON report holds them."""

from typing import Any

from kgate.model import Latency, Ratio, Shift, StoredCase


def ratio(found: Ratio) -> dict[str, Any]:
    names = ("above", "below", "median", "low", "high", "launches", "spread", "freedom", "reason", "wanted")
    also = ("throttled", "slow_launches", "tail", "shared")
    confirmed = found.confirmation
    return {
        **{name: getattr(found, name) for name in (*names, *also)},
        "decision": found.decision.value,
        "confirmation": confirmed
        and {"holds": confirmed.holds, "median": confirmed.median, "launches": confirmed.launches},
    }


def shift(found: Shift) -> dict[str, Any]:
    return {"cases": found.cases, "of": found.of, "median": found.median, "confirmed": found.confirmed}


def latency(found: Latency) -> dict[str, Any]:
    return {
        "method": found.method,
        "median_ns": dict(sorted(found.median_ns.items())),
        "ratios": [ratio(r) for r in found.ratios],
        "launches": [
            {
                "launch": launch.launch,
                "samples_ns": {arm: list(ns) for arm, ns in sorted(launch.samples_ns.items())},
                "call_ns": {arm: list(ns) for arm, ns in sorted(launch.call_ns.items())},
                "notes": dict(sorted(launch.notes.items())),
            }
            for launch in found.launches
        ],
    }


def noise(stored: StoredCase) -> dict[str, Any]:
    return {rival: {"spread_log": found.spread_log, "freedom": found.freedom} for rival, found in stored.noise.items()}
