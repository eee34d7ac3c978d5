"""The schemas, as they are shipped."""

import json
from functools import cache
from typing import Any

from kgate.errors import UsageError
from kgate.load import shipped
from kgate.load.hints import nearest

NAMES = ("manifest", "baseline", "calibration", "report", "joined", "run", "compile", "decide", "debt", "plan")


def text(name: str) -> str:
    """The schema called `name`, as its file has it. Raises UsageError for a name that is not among NAMES."""
    if name not in NAMES:
        raise UsageError(f"{name!r} is not a schema{nearest(name, NAMES)}")
    return shipped.text("schemas", f"{name}.schema.json")


@cache
def parsed(name: str) -> dict[str, Any]:
    """The schema called `name` as JSON; shared, so to be read only."""
    schema: dict[str, Any] = json.loads(text(name))
    return schema
