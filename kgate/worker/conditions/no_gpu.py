"""No GPU is visible: import must succeed, and tensors on the CPU must be answered."""

from collections.abc import Mapping
from typing import Literal

from kgate.worker.conditions._plays import nothing, once, without_gpu

NAME = "no-gpu"
WHERE = "where no GPU is visible"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = True
LOGGED = False
BARE = True
OWN_CACHES = True
BACKWARD = False
ENV: Mapping[str, str] = {"CUDA_VISIBLE_DEVICES": ""}
unfit = without_gpu
install = nothing
play = once
