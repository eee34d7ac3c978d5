"""Stored measurements: one file per device kind, written by a reviewed step, never by the run that judges."""

import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from kgate.errors import BaselineError
from kgate.load import schemas
from kgate.model import Baseline, Fingerprint, Manifest, Noise, StoredCase

VERSION = 1
RECORD_AGAIN = "restore it from git, or record it again with `kgate baseline record`"


def path_of(manifest: Manifest, device: str) -> Path | None:
    """None where the manifest says that there are no baselines."""
    return manifest.folder / manifest.baselines / f"{device}.json" if manifest.baselines else None


def read(path: Path) -> Baseline | None:
    """The baseline at `path`, None if there is no such file. Raises BaselineError for one that is not whole."""
    try:
        body = json.loads(path.read_bytes(), parse_constant=refuse_constant)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read ({error.strerror}); mend its permissions") from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: not JSON ({error}); {RECORD_AGAIN}") from error
    return parsed(path, body)


def parsed(path: Path, body: Any) -> Baseline:
    """What the JSON `body` of `path` amounts to. Raises BaselineError where the schema does not hold."""
    check(path, body)
    fingerprint = body["fingerprint"]
    return Baseline(
        path=str(path),
        device=body["device"],
        fingerprint=Fingerprint(
            must_match=fingerprint["must_match"],
            may_drift=fingerprint.get("may_drift", {}),
            information=fingerprint.get("information", {}),
        ),
        method=body["method"],
        commit=body["commit"],
        date=body["date"],
        cases={name: stored(case) for name, case in body["cases"].items()},
    )


def held_against(own: Path, before: Path | None) -> tuple[Baseline | None, tuple[str, ...]]:
    """
    What a run is held against: `before`, base's file, so that no change moves its own measure; `own` without a base.

    Base's file that cannot be read is no fault of the change, which may be the one that mends it: a remark, the second
    value. Raises BaselineError for head's.
    """
    if before is None:
        return read(own), ()
    try:
        kept = read(before)
    except BaselineError as error:
        why = str(error).removeprefix(f"{before}: ")
        return None, (f"nothing is held against base's {before.name}, which cannot be read: {why}",)
    read(own)
    return kept, ()


def write(path: Path, baseline: Baseline) -> None:
    """Sorted and one value a line, so that a change reads well in review; the file is whole or as it was before."""
    text = json.dumps(plain(baseline), indent=2, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise BaselineError(f"{path}: cannot be written ({error.strerror}); name a folder that can") from error


def refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")


def check(path: Path, body: Any) -> None:
    version = body.get("version") if isinstance(body, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise BaselineError(
            f"{path}: written by a newer kgate (format {version}, this one reads {VERSION}); update kgate"
        )
    errors = Draft202012Validator(schemas.parsed("baseline")).iter_errors(body)
    first = min(errors, key=lambda e: [str(p) for p in e.absolute_path], default=None)
    if first is not None:
        where = ".".join(str(p) for p in first.absolute_path) or "the file"
        message = first.message if len(first.message) <= 120 else first.message[:117] + "..."
        raise BaselineError(f"{path}: {where}: {message}; {RECORD_AGAIN}")


def stored(case: Mapping[str, Any]) -> StoredCase:
    return StoredCase(
        custom_ns=float(case["custom_ns"]),
        fallback_ns=None if case["fallback_ns"] is None else float(case["fallback_ns"]),
        spread_log=float(case["spread_log"]),
        launches=int(case["launches"]),
        # float() reads "inf" as well, which JSON has to keep as text.
        errors=tuple({name: float(value) for name, value in output.items()} for output in case["errors"]),
        noise={
            rival: Noise(spread_log=float(found["spread_log"]), freedom=int(found["freedom"]))
            for rival, found in case.get("noise", {}).items()
        },
        method=case.get("method", ""),
    )


def plain(baseline: Baseline) -> dict[str, Any]:
    """As the schema has it; where the file lies is not among its contents."""
    body = asdict(baseline)
    del body["path"]
    for case in body["cases"].values():
        case["errors"] = [{name: number(value) for name, value in output.items()} for output in case["errors"]]
        if not case["method"]:
            del case["method"]
    return {"version": VERSION, **body}


def number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One case of two baselines; None where one of them does not have it. `ratio` is after / before."""

    case: str
    before_ns: float | None
    after_ns: float | None

    @property
    def ratio(self) -> float | None:
        if self.before_ns is None or self.after_ns is None:
            return None
        return self.after_ns / self.before_ns


def diff(before: Baseline, after: Baseline) -> tuple[Change, ...]:
    """Custom times of every case that either has, by name."""
    return tuple(
        Change(case=name, before_ns=custom_ns(before, name), after_ns=custom_ns(after, name))
        for name in sorted({*before.cases, *after.cases})
    )


def custom_ns(baseline: Baseline, case: str) -> float | None:
    stored_case = baseline.cases.get(case)
    return stored_case.custom_ns if stored_case else None
