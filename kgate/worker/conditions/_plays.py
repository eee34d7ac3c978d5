"""What most conditions have in common: nothing to do before the call, or one call and no more."""

from collections.abc import Callable

from kgate.protocol import Job
from kgate.worker.conditions import Declared, Play
from kgate.worker.conditions._detours import raising


def nothing(job: Job) -> None:
    return


def once(play: Play) -> None:
    play.call()


def refused(play: Play, error: Callable[[], Exception]) -> None:
    """The judged call, in which every call of custom raises."""
    with raising(play.custom, play.job.tree, error) as raised:
        play.call()
    if not raised:
        play.not_met = not_called(play)


def compiled(play: Play) -> None:
    """One call, which has to come to the kernel for anything to be compiled."""
    if play.call() == 0:
        play.not_noticed = not_called(play)


def not_called(play: Play) -> str:
    return f"{play.custom} was not called"


def without_package(declared: Declared) -> str:
    return "" if declared.packages else "the manifest names no package that it could do without (`dsl`, `optional`)"


def without_gpu(declared: Declared) -> str:
    return "" if declared.kind != "cpu" else "this run has no GPU"


def without_backward(declared: Declared) -> str:
    return "" if declared.backward else "the manifest declares the forward direction alone"
