"""The package is not installed."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._packages import hide, looked_for, packages_of
from kgate.worker.conditions._plays import without_package

NAME = "package-absent"
WHERE = "where the package is absent"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = True
BARE = True
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
unfit = without_package
play = looked_for


def install(job: Job) -> None:
    hide(packages_of(job), job.tree)
