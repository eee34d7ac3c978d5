"""`kgate debt`: old faults, who has to mend them, and until when."""

import json
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from tabulate import tabulate

from kgate.errors import UsageError
from kgate.escape import plain
from kgate.figures import count
from kgate.load import debt
from kgate.load import manifest as manifests
from kgate.model import Owed

HEADERS = ("rule", "of", "owner", "until", "")


def listed(path: Path, form: str) -> str:
    """As `form`: text or json. Raises UsageError where there is no debt file."""
    file = manifests.located(path)
    manifest = manifests.load(file)
    today = datetime.now(timezone.utc).date()
    if not debt.path_of(manifest.path).is_file():
        name = debt.path_of(manifest.path).name
        raise UsageError(f"{name}: not there, so nothing is owed; `kgate init --adopt` writes one from a run")
    owed = debt.read(manifest.path, manifest.root)
    return as_json(owed, today) if form == "json" else as_text(owed, today)


def as_text(owed: tuple[Owed, ...], today: date) -> str:
    if not owed:
        return "nothing is owed"
    rows = [(o.rule, plain(o.name), plain(o.owner), o.expires, left(o, today)) for o in sorted(owed, key=day_of)]
    table = tabulate(rows, headers=HEADERS, disable_numparse=True)
    late = sum(day_of(entry) < today.isoformat() for entry in owed)
    return "\n".join(
        [*(line.rstrip() for line in table.splitlines()), "", f"{count(len(owed), 'old fault')}, {late} past its day"]
    )


def day_of(owed: Owed) -> str:
    return owed.expires


def left(owed: Owed, today: date) -> str:
    """What is left of the time, and nothing of a day that no calendar has."""
    try:
        days = (date.fromisoformat(owed.expires) - today).days
    except ValueError:
        return "no such day, so it is past"
    return f"{count(days, 'day')} left" if days >= 0 else f"{count(-days, 'day')} over"


def as_json(owed: tuple[Owed, ...], today: date) -> str:
    entries: list[dict[str, Any]] = [
        {
            **{name: getattr(o, name) for name in ("rule", "scope", "name", "owner", "expires")},
            "expired": day_of(o) < today.isoformat(),
            "place": {"path": o.place.path, "line": o.place.line},
        }
        for o in owed
    ]
    return json.dumps({"debt": entries}, indent=1, ensure_ascii=False)
