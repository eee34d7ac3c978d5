"""Lock files: they fix which packages are installed, so that a change of one can change what every kernel does."""

import re
from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

NAMES = (
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pylock.toml",
    "pylock.*.toml",
    "Pipfile.lock",
    "pixi.lock",
    "conda-lock.yml",
    "*.conda-lock.yml",
    "conda-*.lock",
)
REQUIREMENTS = "*requirements*.txt"
PINNED = re.compile(rb"^[^#\n]*(?:==|--hash=|@ )", re.MULTILINE)  # a version, a hash, an address


def locks(names: Collection[str], folder: str, read: Callable[[str], bytes]) -> Iterator[str]:
    """
    Those of `names`, paths from the git root, that lie in the manifest's `folder` (from there too) or above it, or in a
    folder `requirements` there. Of requirements files those that pin something.
    """
    above = {str(PurePosixPath(folder)), *map(str, PurePosixPath(folder).parents), "."}
    for name in sorted(names):
        path = PurePosixPath(name)
        near = path.parent.parent if path.parent.name == "requirements" else path.parent
        if str(near) not in above:
            continue
        if any(fnmatchcase(path.name, pattern) for pattern in NAMES) or (requirements(path) and pins(read, name)):
            yield name


def requirements(path: PurePosixPath) -> bool:
    return fnmatchcase(path.name, REQUIREMENTS) or (path.parent.name == "requirements" and path.suffix == ".txt")


def pins(read: Callable[[str], bytes], name: str) -> bool:
    try:
        return bool(PINNED.search(read(name)))
    except OSError:
        return True  # not there any more, which is a change of it
