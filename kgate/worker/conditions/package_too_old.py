"""The package works and says that it is older than any: a guard against old versions fires, or there is none."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._packages import looked_for, make_old, packages_of, require
from kgate.worker.conditions._plays import without_package

NAME = "package-too-old"
WHERE = "where the package is too old"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = False
BARE = False
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
unfit = without_package
play = looked_for


def install(job: Job) -> None:
    require(job)
    make_old(packages_of(job), job.tree)
