"""
Where a backward pass does its work: the function of the product's that is furthest down in it, which a kernel's launch
or its operators stand in.

The manifest names no function for it, and to fail above it would be to fail above the product's own guard.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from types import CodeType, FrameType, FunctionType
from typing import Any

from kgate.worker.conditions._detours import detoured
from kgate.worker.loading import inside
from kgate.worker.watches import LOUD, callers


class Trail:
    """The product's code that ran within a backward pass, each with how far down, and how late, it was called."""

    def __init__(self, tree: str) -> None:
        self.tree = tree
        self.depths: dict[CodeType, int] = {}  # the latest call last
        self.workers: set[CodeType] = (
            set()
        )  # what called into torch or a DSL, and not other code of the product's alone

    @contextmanager
    def followed(self) -> Iterator[None]:
        before = sys.getprofile()
        sys.setprofile(self.saw)
        try:
            yield
        finally:
            sys.setprofile(before)

    def saw(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and self.owns(frame):
            self.depths.pop(frame.f_code, None)
            self.depths[frame.f_code] = sum(map(self.owns, callers(frame)))
        elif event == "call" and frame.f_back and self.owns(frame.f_back) and loud(frame.f_code.co_filename):
            self.workers.add(frame.f_back.f_code)
        elif event == "c_call" and self.owns(frame) and of_torch(argument):
            self.workers.add(frame.f_code)

    def owns(self, frame: FrameType) -> bool:
        return inside(frame.f_code.co_filename, self.tree)

    def end(self) -> Sequence[FunctionType]:
        """The furthest function, as often as it was made; none where no function of the product's ran."""
        order = {code: position for position, code in enumerate(self.depths)}
        by_rank = sorted(order, key=lambda code: (code in self.workers, self.depths[code], order[code]), reverse=True)
        return next(filter(None, map(made_of, by_rank)), [])


def loud(file: str) -> bool:
    return bool(set(LOUD) & set(PurePath(file).parts))


def of_torch(function: Any) -> bool:
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    return str(module).partition(".")[0] == "torch"


def made_of(code: CodeType) -> list[FunctionType]:
    """None of a module's or a class's body, nor of a function within a function that is gone."""
    return [f for f in gc.get_referrers(code) if isinstance(f, FunctionType) and f.__code__ is code]


@contextmanager
def raising_once(functions: Sequence[FunctionType], error: Callable[[], Exception]) -> Iterator[None]:
    """The first call of any of them raises; a way out may call it for other ends."""
    with ExitStack() as detours:

        def refuse(*args: Any, **keywords: Any) -> Any:
            detours.close()
            raise error()

        for function in functions:
            detours.enter_context(detoured(function, refuse))
        yield
