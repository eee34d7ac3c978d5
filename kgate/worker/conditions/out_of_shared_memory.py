"""The kernel asks for more shared memory than a block may have, and is not launched."""

import sys
from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._detours import raising
from kgate.worker.conditions._plays import nothing

NAME = "out-of-shared-memory"
WHERE = "where the kernel is not launched for want of shared memory"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = True
BARE = False
OWN_CACHES = False
ENV: Mapping[str, str] = {}
install = nothing


def unfit(declared: Declared) -> str:
    return ""


def play(play: Play) -> None:
    with raising(play.custom, play.job.tree, said):
        play.call()


def said() -> Exception:
    """Triton has an exception for it, which is no RuntimeError; with others it is one."""
    errors = sys.modules.get("triton.runtime.errors")
    if errors is not None and "triton" in sys.modules:
        found: Exception = errors.OutOfResources(1 << 20, 232448, "shared memory")
        return found
    return RuntimeError("CUDA error: too much shared memory requested (brought about by kgate)")
