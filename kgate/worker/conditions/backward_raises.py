"""The forward pass is good, and the kernel's part of the backward pass raises what a launch would."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from kgate.worker.conditions import Play
from kgate.worker.conditions._plays import not_called, nothing, without_backward
from kgate.worker.conditions._trail import Trail, raising_once
from kgate.worker.conditions.out_of_shared_memory import said

NAME = "backward-raises"
WHERE = "where the kernel raises in its backward pass alone"
SWITCH: Literal["custom", "fallback"] = "custom"
BLOCKS = False
LOGGED = True
BARE = False
OWN_CACHES = False
BACKWARD = True
ENV: Mapping[str, str] = {}
unfit = without_backward
install = nothing


def play(play: Play) -> None:
    trail = Trail(play.job.tree)
    play.call("before", trail.followed)
    functions = trail.end()

    def error() -> Exception:
        play.failed.append(f"{functions[0].__module__}:{functions[0].__qualname__}")
        return said(play.job.cases[0].dsl)

    @contextmanager
    def broken() -> Iterator[None]:
        with raising_once(functions, error):
            yield

    if play.call(around=broken) == 0:
        play.not_met = not_called(play)
