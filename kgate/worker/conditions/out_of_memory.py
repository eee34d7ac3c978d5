"""The device has no memory left for the kernel."""

from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._plays import nothing, refused

NAME = "out-of-memory"
WHERE = "where the kernel runs out of memory"
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
    refused(play, said)


def said() -> Exception:
    import torch

    found: Exception = torch.OutOfMemoryError("CUDA out of memory (brought about by kgate)")
    return found
