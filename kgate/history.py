"""
Live clean runs: how often a change that leaves all code as it was has not come out green here.

Kept in the state folder and not beside the baselines: a run that judges writes nothing into the repository. A worker
could write there, so that the numbers are shown and decide nothing.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from kgate.model import Counted, Run
from kgate.replay import Rate

FILE = "clean-runs.json"
KEPT = 10_000  # of a device, the newest


def is_clean(run: Run) -> bool:
    """Something was measured, and both commits have loaded the same files for every case."""
    return bool(run.cases) and run.untouched


def counted(state: Path, device: str, key: str, green: bool | None) -> Counted | None:
    """
    All live clean runs on this device, this one with them if it is one (`green` is not None). A second run of the same
    content judges the same samples, and counts once. None where there are none.
    """
    known = read(state / FILE)
    if green is not None:
        mine = {**known.get(device, {}), key: green}
        known = {**known, device: dict(list(mine.items())[-KEPT:])}
        with suppress(OSError):  # then it is not counted
            (state / FILE).write_text(json.dumps(known) + "\n")
    runs = known.get(device, {})
    if not runs:
        return None
    rate = Rate(hits=sum(not was_green for was_green in runs.values()), of=len(runs))
    return Counted(hits=rate.hits, of=rate.of, bound=rate.bound)


def read(path: Path) -> Mapping[str, dict[str, bool]]:
    """A file that is not there, or not whole, knows nothing."""
    with suppress(OSError, ValueError, AttributeError):
        body = json.loads(path.read_bytes())
        return {str(d): {str(k): bool(v) for k, v in runs.items()} for d, runs in body.items()}
    return {}
