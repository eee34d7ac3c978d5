"""What each GPU was seen to do at most, by its uuid: measured once, kept in the state folder."""

import json
from contextlib import suppress
from pathlib import Path

from kgate.protocol import Identity

FILE = "peaks.json"
Peaks = dict[str, float]


def known(path: Path) -> dict[str, Peaks]:
    """A file that is not there, or not whole, knows nothing."""
    with suppress(OSError, ValueError, AttributeError, TypeError):
        body = json.loads(path.read_bytes())
        return {str(u): {str(k): float(v) for k, v in found.items() if v > 0} for u, found in body.items()}
    return {}


def completed(identity: Identity, path: Path, before: dict[str, Peaks]) -> Peaks:
    """Of the identity's GPU, just measured or known `before`; what is new goes into the file."""
    uuid = identity.information.get("uuid", "")
    if not identity.peaks:
        return before.get(uuid, {})
    with suppress(OSError):  # then it is measured again next time
        path.write_text(json.dumps({**before, uuid: identity.peaks}, indent=1) + "\n")
    return identity.peaks
