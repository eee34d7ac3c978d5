"""The GPU says that it is of an architecture that nobody has heard of."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions._gpus import looked, pretend
from kgate.worker.conditions._plays import without_gpu

NAME = "unknown-gpu"
WHERE = "where the GPU is of an unknown architecture"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = False
BARE = False
OWN_CACHES = True
BACKWARD = False
ENV: Mapping[str, str] = {}
CAPABILITY = (99, 0)
unfit = without_gpu
play = looked


def install(job: Job) -> None:
    pretend(CAPABILITY)
