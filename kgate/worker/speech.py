"""
Whether the product said anything: to a logger, by `warnings`, or by printing. For a process that keeps watching.

A level that nobody has asked to hear makes no record, and on call nobody would read it either.
"""

import logging
import sys
import warnings
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from kgate.worker.loading import inside
from kgate.worker.watches import LOUD, record_factory

NAMES = 20  # told of one process


class Speech:
    """Who has spoken, each once, in the order heard."""

    def __init__(self, tree: str) -> None:
        self.tree = tree
        self.heard: dict[str, None] = {}

    def listen(self) -> None:
        logging.setLogRecordFactory(record_factory(self.hear))
        warnings.showwarning = warned(warnings.showwarning, self.hear)
        sys.stdout, sys.stderr = Printed(sys.stdout, self), Printed(sys.stderr, self)

    def hear(self, name: str) -> None:
        self.heard.setdefault(name)

    def names(self) -> list[str]:
        return list(self.heard)[:NAMES]


def warned(show: Callable[..., Any], hear: Callable[[str], None]) -> Callable[..., Any]:
    def showing(message: Any, category: Any, filename: str, *args: Any, **keywords: Any) -> Any:
        if not set(LOUD) & set(PurePath(filename).parts):
            hear("warnings")
        return show(message, category, filename, *args, **keywords)

    return showing


class Printed:
    """A stream that knows whether a file of the tree writes to it."""

    def __init__(self, stream: Any, speech: Speech) -> None:
        self.stream = stream
        self.speech = speech

    def write(self, text: str) -> Any:
        caller = sys._getframe(1).f_code.co_filename
        if text.strip() and inside(caller, self.speech.tree):
            self.speech.hear("print")
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
