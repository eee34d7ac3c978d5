"""
What was compiled before: a file per case and architecture, believed while all that it rests on is what it was.

That is: the job as the worker is told it, the files of the tree that the worker loaded for it, compilers, interpreter,
variables, and kgate itself.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kgate import __version__
from kgate.compilation.work import Item
from kgate.model import Case, Failure, Measurement, Outcome
from kgate.runner import records
from kgate.runner.plain import NotPlain, opened
from kgate.runner.shelf import unwritable
from kgate.wire import ProtocolError

UNTOLD = ("cuda",)  # DSLs whose sources are no Python modules: which files a compilation rests on is not known


class Records:
    """Below `folder`; `surroundings` is everything that decides besides the item and the files below `tree`."""

    def __init__(self, *, folder: Path, tree: Path, surroundings: object) -> None:
        self.folder = folder
        self.tree = tree
        self.surroundings = surroundings
        self.digests: dict[str, str] = {}  # of the files of the tree, as far as they were looked at

    def recalled(self, items: Iterable[Item]) -> Mapping[Case, Outcome]:
        found = {item.case: self.recall(item) for item in items}
        return {case: outcome for case, outcome in found.items() if outcome is not None}

    def recall(self, item: Item) -> Outcome | None:
        """None where nothing is known, or where something that it rests on has changed."""
        kept: Any = None
        with suppress(OSError, ValueError):
            kept = json.loads(self.path(item).read_text(encoding="ascii"))
        if not isinstance(kept, dict) or kept.get("key") != self.key(item):
            return None
        try:
            outcome = records.outcome_from_json(kept.get("outcome"))
        except ProtocolError:
            return None
        return outcome if self.unchanged(outcome) else None

    def keep(self, item: Item, outcome: Outcome) -> None:
        """Raises HostError where the folder cannot be written."""
        path = self.path(item)
        fresh = path.with_suffix(f".{os.getpid()}")
        told = {"case": item.case.name, "key": self.key(item), "outcome": records.outcome_to_json(bare(outcome))}
        try:
            if not lasting(item, outcome):
                path.unlink(missing_ok=True)
                return
            fresh.write_text(json.dumps(told), encoding="ascii")
            fresh.replace(path)
        except OSError as error:
            raise unwritable(path, error) from error

    def path(self, item: Item) -> Path:
        return self.folder / f"{hashlib.sha256(item.case.name.encode()).hexdigest()[:16]}.json"

    def key(self, item: Item) -> str:
        parts = (__version__, item.case.name, dataclasses.asdict(item.job), self.surroundings)
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def unchanged(self, outcome: Outcome) -> bool:
        files = files_of(outcome)
        return bool(files) and all(self.digest(name) == digest for name, digest in files.items())

    def digest(self, name: str) -> str:
        """ "" for what is no plain file, or not there."""
        if name not in self.digests:
            self.digests[name] = ""
            with suppress(OSError, NotPlain), opened(self.tree / name) as file:
                self.digests[name] = hashlib.sha256(file.read()).hexdigest()
        return self.digests[name]


def lasting(item: Item, outcome: Outcome) -> bool:
    """Successes and a compiler's refusals: all other failures may be mended outside the repository."""
    refused = isinstance(outcome, Failure) and outcome.reason == "compile-failed"
    told = item.job.dsl not in UNTOLD and bool(files_of(outcome))
    return told and (isinstance(outcome, Measurement) or refused)


def files_of(outcome: Outcome) -> Mapping[str, str]:
    """Path below the tree -> sha256."""
    files: Mapping[str, str] = outcome.files if isinstance(outcome, Failure) else outcome.facts.get("loaded-files", {})
    return files


def bare(outcome: Outcome) -> Outcome:
    """Without the files of what was compiled, which go away with their run."""
    if isinstance(outcome, Failure):
        return outcome
    kernels = tuple(dataclasses.replace(one, files={}) for one in outcome.compiled)
    return dataclasses.replace(outcome, compiled=kernels)
