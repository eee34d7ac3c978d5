"""The package is installed, and does not like this machine: it raises an exception of its own."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._packages import break_at_import, imported, packages_of
from kgate.worker.conditions._plays import without_package

NAME = "package-raises"
WHERE = "where importing the package raises an exception of its own"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = True
BARE = True
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
unfit = without_package
play = imported


class UnsupportedMachine(Exception):
    """Of no kind that a product could name, as packages have them."""


def install(job: Job) -> None:
    break_at_import(packages_of(job), said, job.tree)


def said(name: str) -> Exception:
    return UnsupportedMachine(f"{name} does not support this machine (brought about by kgate)")
