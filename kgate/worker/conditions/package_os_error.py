"""The package is installed, and a shared library of it does not load."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._packages import break_at_import, imported, packages_of
from kgate.worker.conditions._plays import without_package

NAME = "package-os-error"
WHERE = "where importing the package raises OSError"
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
    return OSError(f"lib{name}.so: undefined symbol: cuLaunchKernelEx (brought about by kgate)")
