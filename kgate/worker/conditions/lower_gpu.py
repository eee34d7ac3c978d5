"""The GPU says that it is of an old architecture."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._gpus import looked, pretend
from kgate.worker.conditions._plays import without_gpu

NAME = "lower-gpu"
WHERE = "where the GPU is of an old architecture"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = False
BARE = False
OWN_CACHES = True
BACKWARD = False
ENV: Mapping[str, str] = {}
CAPABILITY = (7, 0)  # Volta: torch runs there, and none of the DSLs is made for it any more
unfit = without_gpu
play = looked


def install(job: Job) -> None:
    pretend(CAPABILITY)
