"""Opening what a worker may have replaced: a pipe would never end, a link could show any file of this machine."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class NotPlain(Exception):
    """There is something at this path, and it is no plain file; the text says what the system made of it."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """For reading. Raises NotPlain, or FileNotFoundError where there is nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NotPlain(error.strerror) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise NotPlain("it is no plain file")
        with open(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)
