"""
Sources of compiled extensions: what a text in a Python file names (`csrc/norm.cu`), and what they `#include`.

No compiler is asked: an `#include` counts in either form wherever a file of the tree may be meant, whatever `#if`
stands around it.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator

SUFFIXES = (".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".hip", ".ptx")
# What a build in the tree reads besides sources: with an extension that was built there, each of them counts.
BUILD_FILES = ("setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "Makefile", "meson.build")
BUILD_SUFFIXES = (".cmake", ".bzl", ".pyx", ".pxd")
INCLUDE = re.compile(rb"""^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]""", re.MULTILINE)


class Natives:
    """The sources of a tree that are no Python, by path below its root."""

    def __init__(self, names: Collection[str], read: Callable[[str], bytes]) -> None:
        self.names = frozenset(name for name in names if name.endswith(SUFFIXES))
        self.built = self.names | frozenset(n for n in names if n.endswith(BUILD_SUFFIXES) or is_build_file(n))
        self.read = read
        self.by_name: dict[str, list[str]] = {}
        for name in self.names:
            self.by_name.setdefault(posixpath.basename(name), []).append(name)
        self.known: dict[str, frozenset[str]] = {}

    def closure(self, file: str, texts: Iterable[str]) -> frozenset[str]:
        """What these texts of a file name, and all that it includes."""
        wanted = (text for text in texts if text.endswith(SUFFIXES) and "\n" not in text)
        return self.with_included({found for text in wanted for found in self.meant(file, text)})

    def with_included(self, names: Iterable[str]) -> frozenset[str]:
        found, waiting = set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.included(name)
        return frozenset(found)

    def included(self, name: str) -> frozenset[str]:
        if name not in self.known:
            try:
                data = self.read(name) if name in self.names else b""
            except OSError:
                data = b""
            said = (found.decode("utf-8", "replace") for found in INCLUDE.findall(data))
            self.known[name] = frozenset(meant for text in said for meant in self.meant(name, text))
        return self.known[name]

    def meant(self, file: str, text: str) -> Iterator[str]:
        """
        The file at that place beside `file`; else every one whose path ends like that, since folders of a compiler's
        `-I`, and parts of a path that are joined while the program runs, are not known.
        """
        near = posixpath.normpath(posixpath.join(posixpath.dirname(file), text))
        if near in self.names:
            yield near
            return
        tail = posixpath.normpath(text).lstrip("./")
        for name in self.by_name.get(posixpath.basename(tail), ()):
            if name == tail or name.endswith(f"/{tail}"):
                yield name


def is_build_file(name: str) -> bool:
    return posixpath.basename(name) in BUILD_FILES


def folders_above(name: str) -> Iterator[str]:
    while name := posixpath.dirname(name):
        yield name
