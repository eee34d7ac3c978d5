"""The kernel asks for more shared memory than a block may have, and is not launched."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._plays import nothing, refused

NAME = "out-of-shared-memory"
WHERE = "where the kernel is not launched for want of shared memory"
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
    refused(play, partial(said, play.job.cases[0].dsl))


def said(dsl: str) -> Exception:
    """What the DSL's launch raises."""
    return of_triton() if dsl == "triton" else of_others()


def of_triton() -> Exception:
    """Which has an exception for it, that is no RuntimeError."""
    from triton.runtime.errors import OutOfResources

    found: Exception = OutOfResources(1 << 20, 232448, "shared memory")
    return found


def of_others() -> Exception:
    return RuntimeError("CUDA error: too much shared memory requested (brought about by kgate)")
