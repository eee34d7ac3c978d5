"""How often the gate itself errs, as far as it is known, in one line and as the JSON report holds it."""

from typing import Any

from kgate.figures import count, rate
from kgate.model import Counted, Standing


def line(found: Standing) -> str:
    """`gate's record: a clean change is not green in 0 of 1000 (≤ 0.3 %) of replay (…); live clean runs here: …`."""
    known = found.calibration
    if known is None:
        replayed = "in a share not known" + (f" ({found.missing})" if found.missing else "")
    else:
        launches, starts = count(known.launches, "launch", "launches"), count(known.starts, "start")
        drawn = f"{launches} of {starts} on {count(known.days, 'day')}, {known.date}"
        replayed = f"in {said(known.not_green)} of replay ({drawn})"
    live = f"in {said(found.live)}" if found.live else "none yet"
    return f"gate's record: a clean change is not green {replayed}; live clean runs here: {live}"


def said(counted: Counted) -> str:
    return rate(counted.hits, counted.of, counted.bound)


def document(found: Standing) -> dict[str, Any]:
    known = found.calibration
    return {
        "missing": found.missing,
        "live": numbers(found.live) if found.live else None,
        "calibration": known
        and {
            "path": known.path,
            "date": known.date,
            "commit": known.commit,
            "not_green": numbers(known.not_green),
            "launches": known.launches,
            "starts": known.starts,
            "days": known.days,
            "levels": {name: case.level.name.lower() for name, case in sorted(known.cases.items())},
        },
    }


def numbers(counted: Counted) -> dict[str, Any]:
    return {"hits": counted.hits, "of": counted.of, "bound": counted.bound}
