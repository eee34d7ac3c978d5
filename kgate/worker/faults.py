"""
Where a user's code is called, and what becomes of what it raises: the worker's only broad catch.
"""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from kgate.protocol import Failed, Reason, Rung

TEXT_LIMIT = 500  # characters of the one line
DETAIL_LIMIT = 6000  # characters of the traceback's end
KINDS_LIMIT = 16  # classes
OWN = str(Path(__file__).parents[1])  # .../kgate, in the zip file or beside it
COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "nvcc", "ptxas")  # before a version: gcc-12
HIDDEN = (OWN, "<frozen importlib", "<frozen runpy")

T = TypeVar("T")


class Fault(Exception):
    """A case cannot go on, and why; becomes one Failed."""

    def __init__(self, rung: Rung, reason: Reason, text: str, detail: str = "", kinds: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.rung: Rung = rung
        self.reason: Reason = reason
        self.text = " ".join(text.split())[:TEXT_LIMIT]
        self.detail = detail[-DETAIL_LIMIT:]
        self.kinds = kinds

    def failed(self, case: str) -> Failed:
        return Failed(
            case=case, rung=self.rung, reason=self.reason, text=self.text, detail=self.detail, kinds=self.kinds
        )


def foreign(
    rung: Rung,
    call: Callable[[], T],
    compiler: Callable[[BaseException], bool] | None = None,
) -> T:
    """
    What `call` returns; anything that it raises is a Fault of `rung`, or of "compile" where `compiler` says so.

    `compiler` is the adapter's `is_compile_error`.
    """
    try:
        return call()
    except Fault:
        raise
    except BaseException as error:  # noqa: BLE001  user code may raise anything, SystemExit included
        if program := absent_compiler(error):
            text = f"{program} is not here, which compiling calls: install it, or put it on PATH"
            raise Fault("environment", "unavailable", text, detail_of(error)) from None
        compiles = compiler is not None and isinstance(error, Exception) and compiler(error)
        reason: Reason = "compile-failed" if compiles else reason_of(error, rung)
        told = line_of(error), detail_of(error), kinds_of(error)
        raise Fault("compile" if compiles else rung, reason, *told) from None


def kinds_of(error: BaseException) -> tuple[str, ...]:
    return tuple(kind.__name__ for kind in type(error).__mro__[:KINDS_LIMIT] if kind is not object)


def absent_compiler(error: BaseException) -> str:
    """The compiler that could not be started, "" for another error: a machine without one is no fault of a kernel's."""
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        if isinstance(link, FileNotFoundError) and isinstance(link.filename, str):
            name = Path(link.filename).name
            return name if name.partition("-")[0] in COMPILERS else ""
        link = link.__cause__ or link.__context__
    return ""


def reason_of(error: BaseException, rung: Rung) -> Reason:
    # By name, since torch may not be there; on the CPU torch says it in a plain RuntimeError.
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "out-of-memory"
    if isinstance(error, RuntimeError) and "can't allocate memory" in line_of(error):
        return "out-of-memory"
    if rung == "environment":
        return "unavailable"
    return "import-failed" if rung == "import" else "raised"


def line_of(error: BaseException) -> str:
    """Type and message in one line; of a message of several lines the first, of a syntax error the last."""
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    if isinstance(error, SyntaxError):
        return f"{lines[-1]} ({error.filename}, line {error.lineno})"
    return lines[0]


def detail_of(error: BaseException) -> str:
    """The traceback without kgate's own frames."""
    told = traceback.TracebackException.from_exception(error)
    link: traceback.TracebackException | None = told
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        shown = [frame for frame in link.stack if not frame.filename.startswith(HIDDEN)]
        link.stack = traceback.StackSummary.from_list(shown)
        link = link.__cause__ or link.__context__
    return "".join(told.format())
