"""Calibrations: one file per kind of device beside the baselines' folder, written by `kgate calibrate`, for review."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from kgate.errors import BaselineError
from kgate.load import baselines, schemas
from kgate.model import CalibratedCase, Calibration, Counted, Fingerprint, Level, Manifest

VERSION = 1
FOLDER = "calibration"  # `ci/kgate` holds baselines: `ci/calibration` holds these
AGAIN = "restore it from git, or delete it and run `kgate calibrate` again"
PRIVATE = ("interpreter",)  # a path of the machine that measured


def path_of(manifest: Manifest, device: str) -> Path | None:
    """None where the manifest names no folder of baselines, beside which it would lie."""
    stored = baselines.path_of(manifest, device)
    return stored.parent.parent / FOLDER / stored.name if stored else None


def read(path: Path) -> Calibration | None:
    """None if there is no such file. Raises BaselineError for one that is not whole."""
    try:
        body = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read ({error.strerror}); mend its permissions") from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: not JSON ({error}); {AGAIN}") from error
    first = next(iter(Draft202012Validator(schemas.parsed("calibration")).iter_errors(body)), None)
    if first is not None:
        where = ".".join(str(p) for p in first.absolute_path) or "the file"
        raise BaselineError(f"{path}: {where}: {first.message[:120]}; {AGAIN}")
    return calibration(path, body)


def calibration(path: Path, body: Mapping[str, Any]) -> Calibration:
    names = ("device", "commit", "date", "launches", "starts", "days")
    return Calibration(
        path=str(path),
        fingerprint=Fingerprint(**body["fingerprint"]),
        not_green=Counted(**body["not_green"]),
        cases={name: case(found) for name, found in body["cases"].items()},
        **{name: body[name] for name in names},
    )


def case(body: Mapping[str, Any]) -> CalibratedCase:
    counts = {name: Counted(**body[name]) for name in ("not_green", "blocked", "passed")}
    return CalibratedCase(**{**body, **counts, "level": Level[body["level"].upper()]})


def write(path: Path, found: Calibration) -> None:
    """Sorted, one value a line; whole, or as it was before. Raises BaselineError."""
    text = json.dumps(plain(found), indent=2, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise BaselineError(f"{path}: cannot be written ({error.strerror}); name a folder that can") from error


def plain(found: Calibration) -> dict[str, Any]:
    """As the schema has it; where the file lies is not among its contents."""
    body = asdict(found)
    del body["path"]
    private = body["fingerprint"]["information"]
    body["fingerprint"]["information"] = {k: v for k, v in private.items() if k not in PRIVATE}
    for name, calibrated in found.cases.items():
        body["cases"][name]["level"] = calibrated.level.name.lower()
    return {"version": VERSION, **body}


def merged(kept: Calibration | None, taken: Calibration) -> Calibration:
    """Cases that were not calibrated this time are kept where their fingerprint is the same."""
    if kept is None or kept.fingerprint.differences(taken.fingerprint):
        return taken
    return replace(taken, cases={**kept.cases, **taken.cases})


def held_to(own: Path | None, before: Path | None, live: Fingerprint) -> tuple[Calibration | None, str]:
    """
    What sets levels in a run: base's file where there is a base, so that no change moves its own, else head's; and why
    none does, "" if one does. Raises BaselineError for head's that is not whole.
    """
    mine = read(own) if own else None
    try:
        found = read(before) if before else mine
    except BaselineError as error:
        return None, f"base's cannot be read: {error}"
    if found is None:
        return None, "`kgate calibrate` measures it" + (", and base has no file of it" if mine else "")
    apart = found.fingerprint.differences(live)
    return (None, f"measured on another fingerprint ({', '.join(apart)})") if apart else (found, "")
