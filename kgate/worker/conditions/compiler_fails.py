"""The DSL's compiler ends with an error."""

from collections.abc import Mapping
from typing import Literal

from kgate.protocol import Job
from kgate.worker.conditions import Declared, _compilers
from kgate.worker.conditions._plays import compiled

NAME = "compiler-fails"
WHERE = "where the kernel does not compile"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = True
BARE = False
OWN_CACHES = True
BACKWARD = False
ENV: Mapping[str, str] = {}
play = compiled


def unfit(declared: Declared) -> str:
    return "" if declared.dsl in _compilers.ENTRANCES else "eager torch compiles nothing"


def install(job: Job) -> None:
    _compilers.broken(job.cases[0].dsl)
