"""
Where accepted output files go, and what a file must be to be accepted.

A worker may have written anything: links, pipes, files that are not as long as it says. Nothing here opens a file;
what is not a plain file of exactly the promised size is refused before a Tensor speaks of it.
"""

import errno
import math
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from kgate.errors import HostError
from kgate.model import Tensor
from kgate.protocol import Output
from kgate.tensors import dtype_of

PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z")
RANK_LIMIT = 64  # torch's and NumPy's own
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # all else in moving a file is its process's doing


class Refused(Exception):
    """An output is not what was promised; the text is the end of a sentence about the process."""


class Shelf:
    """Takes the output files of one process out of its control directory; `limit_bytes` bounds all of them together."""

    def __init__(self, out: Path, limit_bytes: int) -> None:
        self.out = out
        self.left_bytes = limit_bytes

    def take(self, outputs: Sequence[Output], folder: Path) -> tuple[Tensor, ...]:
        """Check all, then move all into `folder`, emptied first. Raises Refused, or HostError where it has no room."""
        names = [o.file for o in outputs]
        if len(set(names)) != len(names):
            raise Refused("promised two outputs in one file")
        for output in outputs:
            self.check(output)
        try:
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
        except OSError as error:
            raise unwritable(folder, error) from error
        return tuple(self.move(output, folder) for output in outputs)

    def check(self, output: Output) -> None:
        if not PLAIN_NAME.match(output.file):
            raise Refused(f"named an output file {output.file[:80]!r}, which is no plain name")
        size = size_bytes(output)
        if size > self.left_bytes:
            raise Refused(f"promised {size} bytes in output {output.index}, where {self.left_bytes} are left to it")
        self.left_bytes -= size
        if problem := defect(self.out / output.file, size):
            raise Refused(f"wrote output {output.index} as {output.file}, which {problem}")

    def move(self, output: Output, folder: Path) -> Tensor:
        path = folder / f"{output.index}.bin"
        try:
            (self.out / output.file).rename(path)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise unwritable(folder, error) from error
            raise Refused(f"took output {output.index} away again ({error.strerror})") from error
        return Tensor(
            path=path, dtype=output.dtype, shape=output.shape, strides=output.strides, device=output.device[:40]
        )


def unwritable(folder: Path, error: OSError) -> HostError:
    return HostError(f"{folder}: cannot be written ({error.strerror}); is the disk full?")


def size_bytes(output: Output) -> int:
    """What shape and dtype make of it. Raises Refused for a shape or dtype that no tensor has."""
    if len(output.shape) > RANK_LIMIT or len(output.strides) != len(output.shape):
        raise Refused(f"gave output {output.index} a shape and strides that do not fit each other")
    if any(not 0 <= n < 1 << 48 for n in output.shape) or any(abs(n) >= 1 << 62 for n in output.strides):
        raise Refused(f"gave output {output.index} a shape that no tensor has")
    try:
        return math.prod(output.shape) * dtype_of(output.dtype).element_bytes
    except HostError as error:
        raise Refused(
            f"described output {output.index} by the dtype {output.dtype[:40]!r}, which this version cannot read"
        ) from error


def defect(path: Path, size: int) -> str:
    """Why this is no plain file of `size` bytes, as the end of a sentence; "" if it is one."""
    try:
        if not stat.S_ISDIR(path.parent.lstat().st_mode):
            return "lies in a folder that is none"
        found = path.lstat()
    except OSError:
        return "is not there"
    if not stat.S_ISREG(found.st_mode):
        return f"is no plain file but {kind_of(found.st_mode)}"
    if found.st_nlink != 1:
        return "has a second name, so that it can be changed later"
    if found.st_size != size:
        return f"has {found.st_size} bytes where shape and dtype make {size}"
    return ""


def kind_of(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a folder" if stat.S_ISDIR(mode) else "a device or socket"


def changed(tensors: Sequence[Tensor]) -> str:
    """
    Whether accepted files are still what they were, asked once their process is gone, as the end of a sentence.

    A process keeps its open files when they are renamed; one cut short later would crash whoever maps it.
    """
    for index, tensor in enumerate(tensors):
        size = math.prod(tensor.shape) * dtype_of(tensor.dtype).element_bytes
        if problem := defect(tensor.path, size):
            return f"changed output {index} after it had been accepted: it {problem}"
    return ""
