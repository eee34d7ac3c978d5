"""
Where accepted files go, outputs and compiled kernels, and what a file must be to be accepted.

A worker may have written anything: links, pipes, files that are not as long as it says. Nothing here opens a file;
what is not a plain file of exactly the promised size is refused before a value of the model speaks of it.
"""

import errno
import math
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from kgate.errors import HostError
from kgate.model import CompiledKernel, Tensor
from kgate.protocol import Artifact, Output
from kgate.runner.artifacts import compiled_of
from kgate.runner.printable import one_line
from kgate.tensors import dtype_of

PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z")
RANK_LIMIT = 64  # torch's and NumPy's own
DEVICE_LETTERS = 40
FULL = (errno.ENOSPC, errno.EDQUOT)
NO_ROOM = (*FULL, errno.EROFS)  # all else in moving a file is its process's doing


class Refused(Exception):
    """A file is not what was promised; the text is the end of a sentence about the process."""


class Shelf:
    """Takes the files of one process out of its control directory; `limit_bytes` bounds all of them together."""

    def __init__(self, out: Path, limit_bytes: int) -> None:
        self.out = out
        self.left_bytes = limit_bytes

    def take(self, outputs: Sequence[Output], folder: Path) -> tuple[Tensor, ...]:
        """Check all, then move all into `folder`, emptied first. Raises Refused, or HostError where it has no room."""
        names = [o.file for o in outputs]
        if len(set(names)) != len(names):
            raise Refused("promised two outputs in one file")
        for output in outputs:
            self.check(f"output {output.index}", output.file, size_bytes(output))
        emptied(folder)
        return tuple(self.tensor(output, folder) for output in outputs)

    def keep(self, artifacts: Sequence[Artifact], folder: Path) -> tuple[CompiledKernel, ...]:
        """The same for what was compiled; each file is kept under the kernel's number and its kind."""
        files = [(artifact, file) for artifact in artifacts for file in artifact.files]
        if len({file.file for _, file in files}) != len(files):
            raise Refused("promised two compiled kernels in one file")
        for artifact, file in files:
            self.check(f"{file.kind} of compiled kernel {artifact.index}", file.file, file.size_bytes)
        emptied(folder)
        return tuple(compiled_of(artifact, self.moved(artifact, folder)) for artifact in artifacts)

    def check(self, what: str, name: str, size: int) -> None:
        if not PLAIN_NAME.match(name):
            raise Refused(f"named a file {name[:80]!r} for {what}, which is no plain name")
        if size > self.left_bytes:
            raise Refused(f"promised {size} bytes in {what}, where {self.left_bytes} are left to it")
        self.left_bytes -= size
        if problem := defect(self.out / name, size):
            raise Refused(f"wrote {what} as {name}, which {problem}")

    def tensor(self, output: Output, folder: Path) -> Tensor:
        path = folder / f"{output.index}.bin"
        self.move(f"output {output.index}", output.file, path)
        return Tensor(
            path=path,
            dtype=output.dtype,
            shape=output.shape,
            strides=output.strides,
            device=one_line(output.device)[:DEVICE_LETTERS],
        )

    def moved(self, artifact: Artifact, folder: Path) -> dict[str, Path]:
        paths = {}
        for file in artifact.files:
            paths[str(file.kind)] = folder / f"{artifact.index}.{file.kind}"
            self.move(f"{file.kind} of compiled kernel {artifact.index}", file.file, paths[file.kind])
        return paths

    def move(self, what: str, name: str, path: Path) -> None:
        try:
            (self.out / name).rename(path)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise unwritable(path.parent, error) from error
            raise Refused(f"took {what} away again ({error.strerror})") from error


def emptied(folder: Path) -> None:
    """Make it anew. Raises HostError where it cannot be written."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def unwritable(folder: Path, error: OSError) -> HostError:
    advice = "is the disk full?" if error.errno in FULL else "may this user write there?"
    return HostError(f"{folder}: cannot be written ({error.strerror}); {advice}")


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
        return f"has {found.st_size} bytes and not {size}"
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
