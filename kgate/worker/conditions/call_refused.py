"""The kernel refuses one call; the ones before and after it are good, and have to reach it."""

from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._detours import raising
from kgate.worker.conditions._plays import nothing

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
    with raising(play.custom, play.job.tree, said):
        play.call()
    play.call("again")


class Refused(NotImplementedError, ValueError):
    """Of each kind by which kernels refuse a shape, so that a dispatch that knows any of them meets it."""


def said() -> Exception:
    return Refused("this shape is not supported (brought about by kgate)")
