"""
What is seen of a call besides its result: which functions ran, which operators narrowed, whether anything was logged.

Evidence from inside the process that is being watched, and worth no more than that.
"""

import contextlib
import inspect
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Any

# The DSL's and torch's own messages tell nothing of a fallback.
LOUD = ("torch", "tilelang", "tvm", "tvm_ffi", "triton", "cuda", "cutile_cache")


class CallCount:
    """Calls of one function, however it was imported: its code is compared, not its name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.calls = 0
        self.function, self.code, self.receiver = innermost(function)

    @property
    def watchable(self) -> bool:
        return self.code is not None or inspect.isbuiltin(self.function)

    def sees_as(self, other: "CallCount") -> bool:
        """Whether the two cannot be told apart."""
        return (self.code or self.function) is (other.code or other.function)

    def saw(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is self.code:
            self.calls += self.receiver is None or first_local(frame) is self.receiver
        elif event == "c_call" and self.code is None:
            self.calls += argument == self.function


def innermost(function: Any) -> tuple[Any, CodeType | None, Any]:
    """
    The function below decorators and partials, its code if it has any, and the instance whose `__call__` it is.

    Only the innermost, since all functions under one decorator share the decorator's code.
    """
    while isinstance(function, partial) or hasattr(function, "__wrapped__"):
        function = function.func if isinstance(function, partial) else function.__wrapped__
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    if isinstance(code, CodeType) or inspect.isbuiltin(function):
        return function, code, None
    code = getattr(inspect.getattr_static(type(function), "__call__", None), "__code__", None)
    return function, code if isinstance(code, CodeType) else None, function


def callers(frame: FrameType) -> Iterator[FrameType]:
    above = frame.f_back
    while above is not None:
        yield above
        above = above.f_back


def first_local(frame: FrameType) -> Any:
    names = frame.f_code.co_varnames
    return frame.f_locals.get(names[0]) if names else None


@contextlib.contextmanager
def counted(*counts: CallCount) -> Iterator[None]:
    """Count calls in this thread and in those it starts."""

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        for count in counts:
            count.saw(frame, event, argument)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


@contextlib.contextmanager
def logging_watched() -> Iterator[list[str]]:
    """Names of the loggers that were spoken to, whatever their handlers; not those of LOUD."""
    made = logging.getLogRecordFactory()
    spoken: list[str] = []
    logging.setLogRecordFactory(record_factory(spoken.append))
    try:
        yield spoken
    finally:
        logging.setLogRecordFactory(made)


def record_factory(hear: Callable[[str], None]) -> Callable[..., logging.LogRecord]:
    """The one in use, but that it tells `hear` the name of each logger that is not of LOUD."""
    made = logging.getLogRecordFactory()

    def make(*args: Any, **keywords: Any) -> logging.LogRecord:
        record = made(*args, **keywords)
        if record.name.partition(".")[0] not in LOUD:
            hear(record.name)
        return record

    return make


@contextlib.contextmanager
def operators_watched() -> Iterator[list[str]]:
    """Names of operators that were given float64 and gave back less, each once, in the order met."""
    from torch.utils._python_dispatch import TorchDispatchMode

    narrowing: list[str] = []

    class Watch(TorchDispatchMode):  # type: ignore[misc]  # torch is not there when this is typed
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            returned = function(*args, **(kwargs or {}))
            given = any(is_wide(t) for t in tensors_in((args, kwargs)))
            if given and any(is_narrow(t) for t in tensors_in(returned)) and str(function) not in narrowing:
                narrowing.append(str(function))
            return returned

    with Watch():
        yield narrowing


def rehearse() -> None:
    """The first operator under a watch makes torch import some 800 modules, which take seconds on a busy machine."""
    import torch

    with operators_watched():
        torch.ones(1, dtype=torch.float64).add(1)


def is_wide(tensor: Any) -> bool:
    return str(tensor.dtype) in ("torch.float64", "torch.complex128")


def is_narrow(tensor: Any) -> bool:
    """A floating tensor below float64; an empty one is an operator's placeholder and holds nothing."""
    floating = tensor.dtype.is_floating_point or tensor.dtype.is_complex
    return floating and not is_wide(tensor) and tensor.numel() > 0


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors inside nested lists, tuples and dicts."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
