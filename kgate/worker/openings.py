"""
Which files of the tree were opened for reading, by whose code: sources of an extension, tables, configurations.

Python's own audit event tells of every `open`; who asked is the nearest caller whose file lies in the tree. What C code
opens by itself, and what a child process reads, such as headers that a compiler includes, raises no event.
"""

import os
import sys
from functools import partial
from types import FrameType
from typing import Any

from kgate.worker import origins
from kgate.worker.loading import STATE

WRITING = os.O_WRONLY | os.O_RDWR
COMPILED = (".pyc", ".so")  # what imports read; the sources and the mapped objects are told as loaded
NOBODY = ""  # no code of the tree is among the callers, as in a thread of a library: it counts for all
OPENED: dict[str, set[str]] = {}  # by the file of the tree whose code asked; real paths
WATCHED: set[str] = set()  # trees; a hook stays for the life of the process


def watch(tree: str) -> None:
    """From now on. In processes that time nothing: the hook is asked at every audit event."""
    if tree not in WATCHED:
        WATCHED.add(tree)
        starts = tuple({os.path.join(tree, ""), os.path.join(os.path.realpath(tree), "")})  # noqa: PTH118  text, often
        sys.addaudithook(partial(noticed, starts))


def noticed(starts: tuple[str, ...], event: str, arguments: tuple[Any, ...]) -> None:
    """Never raises: an exception in a hook is the kernel's."""
    if event != "open" or not isinstance(arguments[0], (str, bytes)):
        return
    name, mode, flags = os.fsdecode(arguments[0]), arguments[1], arguments[2]
    name = name if name.startswith("/") else os.path.abspath(name)  # noqa: PTH100  as above
    reading = not set(mode) & set("wax+") if isinstance(mode, str) else not (flags or 0) & WRITING
    if reading and name.startswith(starts) and not name.endswith(COMPILED):
        who = opener(starts)
        if who is not None:
            OPENED.setdefault(who, set()).add(name)


def opener(starts: tuple[str, ...]) -> str | None:
    """None where the worker itself looks at a file, to tell what it holds."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(starts) and f"/{STATE}/" not in file:  # the worker's own files lie there
            return os.path.realpath(file)
        if frame.f_globals.get("__name__") == origins.__name__:
            return None
        frame = frame.f_back
    return NOBODY


def files_of(loaded: dict[str, str], tree: str) -> dict[str, str]:
    """
    Path below the tree -> sha256 of what code of the `loaded` files has opened so far, whichever case was open then: a
    table that is read once, on import, is read for all.
    """
    root = os.path.realpath(tree)
    asked = (NOBODY, *(os.path.join(root, name) for name in loaded))  # noqa: PTH118  as above
    modules = origins.module_files()
    names = {os.path.realpath(name) for who in asked for name in OPENED.get(who, ())} - modules
    return origins.digests((name for name in names if os.path.isfile(name) and origins.lies_in(name, tree)), tree)  # noqa: PTH113
