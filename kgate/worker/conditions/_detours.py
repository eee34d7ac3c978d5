"""
A function whose calls go elsewhere, however its callers came by it.

A name can be replaced only where it is looked up anew, and a dispatcher may hold the function itself. Its code object
can be replaced for all of them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from kgate.worker.faults import Fault
from kgate.worker.loading import function_of
from kgate.worker.watches import innermost

TURNS: list[Callable[..., Any]] = []  # where the calls go; what stands in a code object finds it by its number
SOURCE = """
def outer():
    {cells} = None
    def detour(*args, **keywords):
        lambda: ({names})
        return __import__("sys").modules[{module!r}].TURNS[{turn}](*args, **keywords)
    return detour
"""


@contextmanager
def raising(entry: str, tree: str, error: Callable[[], Exception]) -> Iterator[list[str]]:
    """
    Within it every call of `module:function` raises; the list holds its name once for each that did. Raises Fault where
    it is not there, or has no Python code.
    """
    raised: list[str] = []

    def refuse(*args: Any, **keywords: Any) -> Any:
        raised.append(entry)
        raise error()

    with detoured(function_behind(entry, tree), refuse):
        yield raised


def function_behind(entry: str, tree: str) -> FunctionType:
    """The function of the user's own code that a call of `entry` comes to."""
    try:
        function, code, receiver = innermost(function_of(entry, tree))
    except Fault as fault:
        raise Fault("environment", "unavailable", fault.text, fault.detail) from None
    if receiver is not None:
        function = type(receiver).__call__
    function = getattr(function, "__func__", function)
    if code is None or not isinstance(function, FunctionType):
        raise Fault("environment", "unavailable", f"{entry} has no Python code of its own that could be made to fail")
    return function


@contextmanager
def detoured(function: FunctionType, to: Callable[..., Any]) -> Iterator[None]:
    before = function.__code__, function.__defaults__, function.__kwdefaults__
    TURNS.append(to)
    function.__defaults__, function.__kwdefaults__ = None, None
    function.__code__ = code(len(TURNS) - 1, len(before[0].co_freevars))
    try:
        yield
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = before


def code(turn: int, free: int) -> CodeType:
    """Code with as many free variables as the code that it replaces: Python takes no other."""
    cells = [f"cell{i}" for i in range(free)] or ["unused"]
    names = ", ".join(cells if free else ())
    text = SOURCE.format(cells=" = ".join(cells), names=names, module=__name__, turn=turn)
    made: dict[str, Any] = {}
    exec(text, made)
    found: CodeType = made["outer"]().__code__
    return found
