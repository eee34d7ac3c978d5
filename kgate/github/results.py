"""What a run left in its folder of results, read as data that anybody may have written."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.errors import DeliveryError

FILE_LIMIT_BYTES = 64 << 20
VERDICTS = ("pass", "warn", "fail", "no-verdict")


@dataclass(frozen=True, kw_only=True)
class Results:
    """`text` is the comment. `quiet`: nothing blocks, nothing warns, and the change touched nothing that is gated."""

    verdict: str
    manifest: str
    quiet: bool
    text: str

    @classmethod
    def read(cls, folder: Path) -> "Results":
        facts = facts_of(folder / "report.json")
        return cls(
            verdict=facts["verdict"],
            manifest=facts["manifest"],
            quiet=facts["verdict"] == "pass" and facts.get("untouched") is True,
            text=contents(folder / "comment.md").decode("utf-8", "replace"),
        )


def facts_of(path: Path) -> Mapping[str, Any]:
    """A report; `verdict` and `manifest` are what they should be, all else may be anything."""
    try:
        report = json.loads(contents(path))
    except (ValueError, RecursionError) as error:
        raise DeliveryError(f"{path}: not JSON; write it anew with `kgate check --results {path.parent}`") from error
    match report:
        case {"verdict": str(verdict), "manifest": str(manifest)} if (
            verdict in VERDICTS and len(manifest) < 1000 and manifest.isprintable()
        ):
            return dict(report)
    raise DeliveryError(f"{path}: not a report of kgate's (verdict and manifest are wanted); write it anew")


def contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(FILE_LIMIT_BYTES + 1)
    except OSError as error:
        raise DeliveryError(f"{path}: {error.strerror}; `kgate check --results FOLDER` writes it") from error
    if len(text) > FILE_LIMIT_BYTES:
        raise DeliveryError(f"{path}: more than {FILE_LIMIT_BYTES >> 20} MiB; no report of kgate's is that long")
    return text
