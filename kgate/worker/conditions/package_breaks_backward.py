"""The package works in the forward pass; what the backward pass imports of it raises ImportError."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._packages import broken_for_now, packages_of
from kgate.worker.conditions._plays import nothing, without_backward, without_package
from kgate.worker.conditions.package_import_error import said

NAME = "package-breaks-backward"
WHERE = "where the package is there, and what the backward pass imports of it raises ImportError"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = True
BARE = False
OWN_CACHES = False
BACKWARD = True
ENV: Mapping[str, str] = {}
install = nothing


def unfit(declared: Declared) -> str:
    return without_package(declared) or without_backward(declared)


def play(play: Play) -> None:
    def error(name: str) -> Exception:
        play.failed.append(name)
        return said(name)

    play.call(around=partial(broken_for_now, packages_of(play.job), error, play.job.tree))
