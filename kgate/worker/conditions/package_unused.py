"""The package is there, and the kernel is switched off: looking for it must change nothing else."""

from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import NO_SWITCH, Declared
from kgate.worker.conditions._packages import require
from kgate.worker.conditions._plays import once, without_package

NAME = "package-unused"
WHERE = "where the package is there and the switch is off"
SWITCH: Literal["custom", "fallback"] = "fallback"
BLOCKS = True
LOGGED = False
BARE = True
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
install = require
play = once


def unfit(declared: Declared) -> str:
    return without_package(declared) if declared.switched else NO_SWITCH
