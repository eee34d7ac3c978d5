"""The kernel refuses one call; the ones before and after it are good, and have to reach it."""

import contextlib
from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._plays import nothing, refused
from kgate.worker.faults import Fault

NAME = "call-refused"
WHERE = "where the kernel refuses one call"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = True
BARE = False
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
install = nothing


def unfit(declared: Declared) -> str:
    return ""


def play(play: Play) -> None:
    play.call("before")
    refused(play, said)
    if play.call("again") == 0:
        # What it has kept may be a flag for the shape that was refused, which is as good as none.
        with contextlib.suppress(Fault):
            other = play.other()
            if other is not None:
                other.call("other")


class Refused(NotImplementedError, ValueError):
    """Of each kind by which kernels refuse a shape, so that a dispatch that knows any of them meets it."""


def said() -> Exception:
    return Refused("this shape is not supported (brought about by kgate)")
