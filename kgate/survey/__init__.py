"""
A repository that has no manifest yet, looked at without importing anything: its kernels, the functions around them,
how its tests call them, and whom it asks.

    files -> where imports start -> code -> entries -> how tests call them -> Survey
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kgate.load.source import Definition
from kgate.survey import surroundings
from kgate.survey.calls import Calls, Use, calls, readable
from kgate.survey.code import Code
from kgate.survey.entries import Entry, Guess, entries
from kgate.survey.natives import Native
from kgate.survey.onward import parameters
from kgate.survey.switches import Switch, switch

__all__ = ["Entry", "Guess", "Native", "Subject", "Survey", "survey"]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One operator with all that was found out about it; `use` is None where no call could be read."""

    entry: Entry
    owners: Guess
    switch: Switch | None
    use: Use | None


@dataclass(frozen=True, kw_only=True)
class Survey:
    """
    `folder` is where imports start, below `root`; `left` is device code that no entry reaches; `aside` are folders
    below `folder` with device code that no product calls; `elsewhere` are other folders, from `root`, that modules with
    kernels are imported from.
    """

    root: Path
    folder: Path
    python: Guess
    build: Guess
    subjects: tuple[Subject, ...]
    left: tuple[tuple[str, Native], ...]
    aside: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


def survey(root: Path, files: Sequence[str], folder: Path | None = None, owner: str = "") -> Survey:
    """`files` are all of the tree, from its root. `folder` None looks for where imports start."""
    first, *others = [""] if folder else surroundings.import_folders(root, files)
    start = folder or root / first
    code = Code(root=root, folder=start, files=files)
    found, called = entries(code), calls(code)
    return Survey(
        root=root,
        folder=start,
        python=surroundings.interpreter(root, start),
        build=surroundings.build(root, start),
        subjects=tuple(subject(code, each, called, owner) for each in found.entries),
        left=tuple((at[1], native) for at, native in found.left),
        aside=tuple(dict.fromkeys(code.aside())),
        elsewhere=tuple(other for other in others if first and not f"{other}/".startswith(f"{first}/")),
    )


def subject(code: Code, entry: Entry, called: Calls, owner: str) -> Subject:
    dispatch = definition(entry.dispatch)
    names = dict.fromkeys((dispatch, definition(entry.custom)) if entry.custom else (dispatch,))
    found = [each for at in names for each in called.get(at, ())]
    node = code.function(dispatch)
    use = readable(code, found, parameters(node)) if node else None
    asked = surroundings.owners_of(code.root, code.files, code.at(dispatch).path, owner)
    # A function that is kernel and dispatcher in one has no two positions to tell apart.
    own = entry.custom is None or entry.custom.text == entry.dispatch.text
    chosen = None if own else switch(code, dispatch)
    return Subject(entry=with_twin(entry, use), owners=asked, switch=chosen, use=use)


def definition(guess: Guess) -> Definition:
    module, _, name = guess.text.partition(":")
    return module, name


def with_twin(entry: Entry, use: Use | None) -> Entry:
    """Where the code names no fallback, what a test compares with may be one."""
    if use is None or entry.fallback is None or entry.fallback.text:
        return entry
    if use.twin:
        return replace(entry, fallback=Guess(text=use.twin, why=f"{use.test} compares with it, {use.place}"))
    hint = f"; {use.by_test} computes it: move it to the product" if use.by_test else ""
    return replace(entry, fallback=replace(entry.fallback, why=entry.fallback.why + hint))
