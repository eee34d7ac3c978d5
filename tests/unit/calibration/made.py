"""A calibration by hand."""

from typing import Any

from kgate.model import CalibratedCase, Calibration, Counted, Fingerprint, Level

FINGERPRINT = Fingerprint(must_match={"gpu": "H200"})
NONE = Counted(hits=0, of=2000, bound=0.0015)
ALL = Counted(hits=2000, of=2000, bound=1.0)


def case(**changes: Any) -> CalibratedCase:
    fields: dict[str, Any] = {
        "level": Level.FAIL,
        "reason": "known well enough",
        "launches": 48,
        "starts": 6,
        "days": 1,
        "bias": 1.0002,
        "spreads": {"day": None, "rebuild": 0.0, "start": 0.0004, "launch": 0.0021},
        "starts_differ": 0.34,
        "not_green": NONE,
        "blocked": ALL,
        "passed": NONE,
    }
    return CalibratedCase(**{**fields, **changes})


def calibration(**changes: Any) -> Calibration:
    fields: dict[str, Any] = {
        "path": "",
        "device": "h200",
        "fingerprint": FINGERPRINT,
        "commit": "1a2b3c4d5",
        "date": "2026-11-30",
        "not_green": Counted(hits=0, of=1000, bound=0.003),
        "launches": 48,
        "starts": 6,
        "days": 1,
        "cases": {"gemm/small": case()},
    }
    return Calibration(**{**fields, **changes})
