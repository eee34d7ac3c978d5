"""The schemas as text: below `kgate/schemas` in a wheel, beside the package in a source checkout."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from kgate.errors import HostError, UsageError
from kgate.load.hints import nearest

NAMES = ("manifest", "baseline", "calibration", "report", "joined", "run", "compile", "decide", "debt", "plan")
PACKAGE = Path(__file__).resolve().parent.parent


def text(name: str) -> str:
    """The schema called `name`, as its file has it. Raises UsageError for a name that is not among NAMES."""
    if name not in NAMES:
        raise UsageError(f"{name!r} is not a schema{nearest(name, NAMES)}")
    for folder in (PACKAGE / "schemas", PACKAGE.parent / "schemas"):
        path = folder / f"{name}.schema.json"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise HostError(f"{name}.schema.json: not in this installation of kgate; install it again")


@cache
def parsed(name: str) -> dict[str, Any]:
    """The schema called `name` as JSON; shared, so to be read only."""
    schema: dict[str, Any] = json.loads(text(name))
    return schema
