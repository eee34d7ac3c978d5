"""
Kernels that the code of a tree holds, against the manifest: found by parsing, nothing is imported.

Looked at are the Python and CUDA files below the manifest's folder that git knows, without tests (a product calls none)
and without what another manifest answers for. A kernel is listed if an entry of the manifest reaches it by name, or, of
an operator, by `torch.ops`; a CUDA source if what an entry reaches names its file, or a build script does and the
manifest has a kernel in CUDA; and what such a source includes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from kgate.load.digests import hashed
from kgate.load.marks import WORDS, Mark, in_cuda, in_python
from kgate.load.natives import Natives
from kgate.load.owners import CodeOwners, expression
from kgate.load.source import Module, Sources, parsed
from kgate.model import Found, Inventory, Kernel, Manifest, Place

TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.(py|cu)$")
CUDA = (".cu", ".cuh")
BUILD = re.compile(r"(^|/)(setup\.py|CMakeLists\.txt|[^/]*\.cmake|meson\.build|BUILD(\.bazel)?)$")
SOURCE = re.compile(r"[\w./+-]+\.cuh?\b")  # as a text or a build script names it
OPERATOR = re.compile(r"torch\.ops\.(\w+)\.(\w+)")
SIZE_LIMIT = 4 << 20  # bytes; what is larger was not written by hand


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What entries reach: definitions by file, operators, and the text of each module on the way."""

    reached: set[tuple[Path, str]]
    operators: set[str]  # "acme::gelu"
    texts: dict[Path, str]

    def holds(self, path: Path, mark: Mark) -> bool:
        if (path, mark.name) in self.reached:
            return True
        # A method of a Library names no namespace: that was given where the Library was made.
        bare = {name.rpartition("::")[2] for name in self.operators}
        return any(name in (self.operators if "::" in name else bare) for name in mark.operators)


def inventory(manifest: Manifest, files: Sequence[str], asked: CodeOwners) -> Inventory:
    """`files`: all of the tree, from the manifest's git root."""
    sources = Sources(folder=manifest.folder)
    ground = ground_of(sources, manifest.kernels)
    names = own_files(manifest, files)
    found = [*python(manifest, names, ground), *cuda(manifest, names, ground)]
    return Inventory(
        found=tuple(sorted((finished(f, manifest, asked) for f in found), key=lambda f: (f.place.path, f.place.line))),
        gone={k.name: missing for k in manifest.kernels if (missing := gone(sources, k))},
    )


def gone(sources: Sources, kernel: Kernel) -> str:
    """The first function that the entry names and the tree does not hold."""
    entries = (kernel.dispatch, kernel.custom, kernel.fallback, kernel.reference)
    return next((entry for entry in entries if entry and not sources.has(entry)), "")


def ground_of(sources: Sources, kernels: Iterable[Kernel]) -> Ground:
    entries = {e for k in kernels for e in (k.dispatch, k.custom, k.fallback, k.reference, k.setup, k.compile) if e}
    parts = (entry.partition(":") for entry in entries)
    reached = sources.reached((module, function.partition(".")[0]) for module, _, function in parts)
    modules = {name: module for name, _ in reached if (module := sources.module(name)) is not None}
    texts = {module.path: module.path.read_text("utf-8", "replace") for module in modules.values()}
    return Ground(
        reached={(modules[name].path, what) for name, what in reached if name in modules},
        operators={f"{space}::{name}" for text in texts.values() for space, name in OPERATOR.findall(text)},
        texts=texts,
    )


def own_files(manifest: Manifest, files: Sequence[str]) -> tuple[str, ...]:
    """From the git root: below the manifest's folder, but not below another manifest's."""
    prefix = manifest.folder.relative_to(manifest.root).as_posix()
    start = "" if prefix == "." else f"{prefix}/"
    others = {
        f"{parent}/"
        for f in files
        if PurePosixPath(f).name == manifest.path.name
        and (parent := PurePosixPath(f).parent.as_posix()) not in (prefix, ".")
    }
    inner = tuple(other for other in others if other.startswith(start))
    return tuple(f for f in files if f.startswith(start) and not f.startswith(inner) and not TEST.search(f))


def python(manifest: Manifest, names: Iterable[str], ground: Ground) -> Iterable[Found]:
    for name in names:
        path = manifest.root / name
        if name.endswith(".py") and (module := suspect(path)):
            for mark in in_python(module):
                place = Place(path=name, line=mark.line)
                listed = ground.holds(path, mark)
                yield Found(name=mark.name, place=place, how=mark.how, listed=listed, digest=mark.digest)


def suspect(path: Path) -> Module | None:
    """The module at `path`, if it may hold a kernel at all."""
    data = bytes_of(path)
    return parsed("", path) if WORDS.search(data) else None


def cuda(manifest: Manifest, names: Sequence[str], ground: Ground) -> Iterable[Found]:
    sources = [name for name in names if name.endswith(CUDA)]
    if not sources:
        return
    speaking = {path.relative_to(manifest.root).as_posix(): text for path, text in ground.texts.items()}
    if any(kernel.dsl == "cuda" for kernel in manifest.kernels):
        speaking |= {n: bytes_of(manifest.root / n).decode("utf-8", "replace") for n in names if BUILD.search(n)}
    natives = Natives(names, lambda name: bytes_of(manifest.root / name))
    known = {found for file, text in speaking.items() for found in natives.closure(file, SOURCE.findall(text))}
    for name in sources:
        text = bytes_of(manifest.root / name).decode("utf-8", "replace")
        if functions := in_cuda(text):
            line = text.count("\n", 0, text.find("__global__")) + 1
            place, digest = Place(path=name, line=line), hashed([text])
            yield Found(name=functions[0], place=place, how="__global__", listed=name in known, digest=digest)


def bytes_of(path: Path) -> bytes:
    """Nothing of a file that is not there, no plain file, or too large."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= SIZE_LIMIT else b""
    except OSError:
        return b""


def finished(found: Found, manifest: Manifest, asked: CodeOwners) -> Found:
    """With the line of `ignore` that speaks of it, and whom CODEOWNERS asks."""
    inner = (
        PurePosixPath(found.place.path).relative_to(manifest.folder.relative_to(manifest.root).as_posix()).as_posix()
    )
    ignored = next((line for line in manifest.ignored if expression(line.pattern).search(inner)), None)
    rule = asked.last_match(found.place.path)
    return replace(found, ignored=ignored, owners=rule[2] if rule else ())


def in_words_of(head: Inventory, base: Inventory) -> Inventory:
    """
    Base's, with the path of head for a file that was renamed: what is gone there and new here under one name, and
    written alike.
    """
    here, there = {f.identity for f in head.found}, {f.identity for f in base.found}
    new = {(f.name, f.how, f.digest): f.place for f in head.found if f.identity not in there}
    moved = (
        replace(f, place=new[key]) if f.identity not in here and (key := (f.name, f.how, f.digest)) in new else f
        for f in base.found
    )
    return replace(base, found=tuple(moved))
