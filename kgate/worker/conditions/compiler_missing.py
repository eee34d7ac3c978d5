"""No compiler can be started: no C compiler, no nvcc, nothing else that PATH leads to."""

import os
from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions import Declared
from kgate.worker.conditions._plays import compiled

NAME = "compiler-missing"
WHERE = "where no compiler is installed"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = True
BARE = False
OWN_CACHES = True
BACKWARD = False
ENV: Mapping[str, str] = {}
NOWHERE = "/nonexistent/kgate-no-compilers"  # of which nothing is left behind, however the process ends
POINTING = ("CC", "CXX", "CUDACXX", "CUDA_HOME", "CUDA_PATH")
play = compiled


def unfit(declared: Declared) -> str:
    return "" if declared.dsl != "torch" else "eager torch compiles nothing"


def install(job: Job) -> None:
    os.environ["PATH"] = NOWHERE
    for name in POINTING:
        os.environ.pop(name, None)
