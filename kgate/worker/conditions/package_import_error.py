"""The package is installed, and a part of it is missing: an extension for another Python, a moved symbol."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._packages import break_at_import, imported, packages_of
from kgate.worker.conditions._plays import without_package

NAME = "package-import-error"
WHERE = "where importing the package raises ImportError"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = True
BARE = True
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
unfit = without_package
play = imported


def install(job: Job) -> None:
    break_at_import(packages_of(job), said, job.tree)


def said(name: str) -> Exception:
    return ImportError(f"cannot import name '_C' from '{name}' (brought about by kgate)", name=name)
