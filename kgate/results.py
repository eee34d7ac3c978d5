"""The report of a run that is over, as other commands read it."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from kgate.errors import UsageError
from kgate.load import last, schemas
from kgate.model import Manifest
from kgate.runner.state import STATE

FILE = "report.json"


def last_of(manifest: Manifest) -> Path:
    """Where the last run of this manifest has left its report."""
    return manifest.root / STATE / last.folder_name(manifest.path, manifest.root) / FILE


def read(manifest: Manifest, report: Path | None) -> tuple[Path, dict[str, Any]]:
    """report.json of a results folder, or of the last run; checked against its schema. Raises UsageError."""
    source = report or last_of(manifest)
    source = source / FILE if source.is_dir() else source
    try:
        body = json.loads(source.read_bytes())
    except OSError as error:
        raise UsageError(f"{source}: no report of a run there ({error.strerror}); run `kgate check` first") from error
    except ValueError as error:
        raise UsageError(f"{source}: not JSON ({error}); run `kgate check` again") from error
    wrong = next(iter(Draft202012Validator(schemas.parsed("report")).iter_errors(body)), None)
    if wrong is not None:
        place = ".".join(str(part) for part in wrong.absolute_path) or "its top level"
        raise UsageError(f"{source}: not a report of this version of kgate ({place}: {wrong.message[:120]})")
    return source, body
