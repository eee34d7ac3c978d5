"""What most conditions have in common: nothing to do before the call, or one call and no more."""

from kgate.protocol import Job
from kgate.worker.conditions import Declared, Play


def nothing(job: Job) -> None:
    return


def once(play: Play) -> None:
    play.call()


def without_package(declared: Declared) -> str:
    return "" if declared.packages else "the manifest names no package that it could do without (`dsl`, `optional`)"


def without_gpu(declared: Declared) -> str:
    return "" if declared.kind != "cpu" else "this run has no GPU"


def without_backward(declared: Declared) -> str:
    return "" if declared.backward else "the manifest declares the forward direction alone"
