"""The switch is turned off in a process that has run the kernel, as `read: call` promises."""

import os
from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import NO_SWITCH, Declared, Play
from kgate.worker.conditions._plays import nothing

NAME = "switch-off-later"
WHERE = "with the switch turned off after a call"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = False
BARE = False
OWN_CACHES = False
BACKWARD = False
ENV: Mapping[str, str] = {}
install = nothing


def unfit(declared: Declared) -> str:
    if not declared.switched:
        return NO_SWITCH
    if not declared.variable:
        return "the switch is no environment variable"
    return "" if declared.read == "call" else "the manifest says `read: import`, which promises no more"


def play(play: Play) -> None:
    before = play.call("before")
    variable, value = play.job.cases[0].off or ("", "")
    on = os.environ[variable]
    os.environ[variable] = value
    try:
        play.call()
    finally:
        os.environ[variable] = on  # the process may have another case to begin with
    if before == 0:
        play.not_met = f"{play.custom} was not called while the switch was on"
