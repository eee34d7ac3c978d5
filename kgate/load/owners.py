"""
CODEOWNERS as GitHub reads it: who is asked for review of a file.

Source: docs.github.com, "About code owners". Of the places .github/, the root and docs/ the first that has the file
counts; the last line that matches a path wins, and a pattern without owners makes its files unowned; a line that is not
valid is skipped. Patterns are gitignore's without negation (!) and character ranges ([ ]). A file above 3 MB is not
loaded at all.

A parser of our own, since none of the libraries at hand reads as GitHub does: `codeowners` 0.9.0 matches paths alike,
but takes `!`, `[ ]` and `\\#` for patterns and names in an inline comment for owners, keeps a line of which an owner
is malformed, and knows GitLab's sections, which GitHub does not.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath

from kgate.model import Kernel, Ownership, Place
from kgate.model.owners import is_owner

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
SIZE_LIMIT = 3 * 1000 * 1000  # bytes
# A space or # belongs to the pattern behind a backslash; the pattern ends at the first blank.
PATTERN = re.compile(r"(?:\\.|[^\s\\])+")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One valid line. `pattern` as written; no owners means that the files are nobody's."""

    line: int
    pattern: str
    owners: tuple[str, ...]

    def matches(self, file: str) -> bool:
        return expression(self.pattern).search(file) is not None


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A line that GitHub passes over; `reason` is a clause."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class CodeOwners:
    """
    The file of one tree, which is made of `files`. `place` is "" where there is none; `problem`: a sentence, where
    GitHub would not load it.
    """

    place: str = ""
    rules: tuple[Rule, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    files: tuple[str, ...] = field(default=(), repr=False)
    problem: str = ""
    matching: dict[Rule, bool] = field(default_factory=dict, repr=False, compare=False)

    def last_match(self, file: str) -> tuple[Place, str, tuple[str, ...]] | None:
        """As `Ownership.files` has it."""
        rule = next((rule for rule in reversed(self.rules) if rule.matches(file)), None)
        return None if rule is None else (Place(path=self.place, line=rule.line), rule.pattern, rule.owners)

    def idle(self, rule: Rule) -> bool:
        """Whether it matches no file of the tree, as one with a folder's name spelt wrong. Each is tried once."""
        if rule not in self.matching:
            self.matching[rule] = any(map(rule.matches, self.files))
        return not self.matching[rule]

    def without_effect(self, owners: Sequence[str]) -> Iterator[tuple[Place, str]]:
        """Lines that ask nobody though they may be meant to: those that name one of `owners`; all if none is given."""
        wanted = {owner.lower() for owner in owners}
        for rule in self.rules:
            meant = rule.owners and (not wanted or not wanted.isdisjoint(map(str.lower, rule.owners)))
            if meant and self.idle(rule):
                text = " ".join((rule.pattern, *rule.owners))
                yield Place(path=self.place, line=rule.line), f"{text}: matches no file of the repository"
        for line in self.skipped:
            if not wanted or any(owner in line.text.lower() for owner in wanted):
                yield Place(path=self.place, line=line.line), f"{line.text}: skipped by GitHub, {line.reason}"


def read(root: Path, files: Sequence[str]) -> CodeOwners:
    """`files`: all of the tree, relative to `root`, with slashes."""
    place = next((p for p in PLACES if (root / p).is_file()), "")
    try:
        lines = tuple(parsed((root / place).read_bytes())) if place else ()
    except (OSError, ValueError) as error:
        problem = f"{place}: cannot be read ({error}); GitHub asks nobody for review until it is mended"
        return CodeOwners(place=place, problem=problem)
    return CodeOwners(
        place=place,
        rules=tuple(line for line in lines if isinstance(line, Rule)),
        skipped=tuple(line for line in lines if isinstance(line, Skipped)),
        files=tuple(files),
    )


def ownership(found: CodeOwners, kernel: Kernel, files: Sequence[str]) -> Ownership:
    """Who answers for the kernel, and which rule asks whom for each of `files`; not whether they can act."""
    return Ownership(
        owners=kernel.owners,
        files={file: found.last_match(file) for file in files},
        codeowners=found.place,
        problem=found.problem,
        without_effect=tuple(found.without_effect(kernel.owners)),
    )


def named(kernel: Kernel, prefix: PurePath, files: Collection[str]) -> Iterator[str]:
    """Those of `files` that hold the modules of the kernel's entry; `prefix`: the manifest's folder from the root."""
    for entry in (kernel.dispatch, kernel.custom, kernel.fallback):
        module = entry.partition(":")[0].replace(".", "/")
        places = ((prefix / f"{module}{end}").as_posix() for end in (".py", "/__init__.py"))
        yield from (place for place in places if place in files)


def parsed(data: bytes) -> Iterator[Rule | Skipped]:
    """What is neither blank nor a comment. Raises ValueError for a file that GitHub would not load."""
    if len(data) > SIZE_LIMIT:
        raise ValueError(f"{len(data)} bytes, more than the 3 MB that GitHub loads")
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield line_of(number, text)


def line_of(number: int, text: str) -> Rule | Skipped:
    found = PATTERN.match(text)
    pattern = found.group() if found else ""
    rest = text[len(pattern) :]
    owners = tuple(rest.partition("#")[0].split())
    if reason := fault(text, pattern, rest, owners):
        return Skipped(line=number, text=text, reason=reason)
    return Rule(line=number, pattern=pattern, owners=owners)


def fault(text: str, pattern: str, rest: str, owners: Sequence[str]) -> str:
    """Why GitHub skips the line; "" where it does not."""
    if text.startswith("!"):
        return "which knows no negation"
    if text.startswith("\\#"):
        return "for which a backslash makes no pattern of a leading #"
    if "[" in pattern:
        return "which knows no ranges of characters"
    if pattern.strip("/") == "":
        return "since the pattern matches nothing"
    if rest and not rest[0].isspace():
        return "since a backslash stands before nothing"
    wrong = next((owner for owner in owners if not is_owner(owner)), None)
    return "" if wrong is None else f"since {wrong} is no @user, @org/team or e-mail address"


# Two stars mean any depth only where they are a whole part of the path.
TOKENS = re.compile(r"\\.|(?<![^/])\*\*/|/\*\*$|\*|\?|[^\\*?]")


@cache
def expression(pattern: str) -> re.Pattern[str]:
    """
    A gitignore pattern as a regular expression over a path from the root.

    With a slash before its end it starts at the root, else anywhere. What it matches may be a folder, and then all that
    lies in it belongs to it, but for a last `*`, which means files of that folder alone.
    """
    body = pattern.rstrip("/")
    anchored = "/" in body
    start = "" if anchored else "(?:.*/)?"
    middle = "".join(translated(token) for token in TOKENS.findall(body.removeprefix("/")))
    if pattern.endswith("/"):
        end = "/.*"
    elif anchored and body.endswith("/*"):
        end = ""
    else:
        end = "(?:/.*)?"
    return re.compile(rf"\A{start}{middle}{end}\Z", re.DOTALL)


def translated(token: str) -> str:
    match token:
        case "**/":
            return "(?:.*/)?"
        case "/**":
            return "/.*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _:
            return re.escape(token[-1])
