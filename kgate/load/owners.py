"""
CODEOWNERS as GitHub reads it: who is asked for review of a file.

Source: docs.github.com, "About code owners". Of the places .github/, the root and docs/ the first that has the file
counts; the last line that matches a path wins, and a pattern without owners makes its files unowned; a line that is not
valid is skipped. Patterns are gitignore's without negation (!) and character ranges ([ ]). A file above 3 MB is not
loaded at all.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kgate.model import Kernel, Ownership, Place

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
SIZE_LIMIT = 3 * 1000 * 1000  # bytes
OWNER = re.compile(r"@[\w.-]+(/[\w.-]+)?|[^@\s]+@[^@\s]+\.[^@\s]+")
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


def ownership(root: Path, kernel: Kernel, files: Sequence[str]) -> Ownership:
    """Who answers for the kernel, and which rule asks whom for each of `files` (relative to `root`, with slashes)."""
    place = next((p for p in PLACES if (root / p).is_file()), "")
    try:
        rules = tuple(parsed((root / place).read_bytes())) if place else ()
    except (OSError, ValueError) as error:
        problem = f"{place}: cannot be read ({error}); GitHub asks nobody for review until it is mended"
        return Ownership(owners=kernel.owners, files=dict.fromkeys(files), codeowners=place, problem=problem)
    found = {file: last_match(place, rules, file) for file in files}
    return Ownership(owners=kernel.owners, files=found, codeowners=place)


def last_match(place: str, rules: Sequence[Rule], file: str) -> tuple[Place, str, tuple[str, ...]] | None:
    """As `Ownership.files` has it."""
    rule = next((rule for rule in reversed(rules) if rule.matches(file)), None)
    return None if rule is None else (Place(path=place, line=rule.line), rule.pattern, rule.owners)


def parsed(data: bytes) -> Iterator[Rule]:
    """The valid lines. Raises ValueError for a file that GitHub would not load."""
    if len(data) > SIZE_LIMIT:
        raise ValueError(f"{len(data)} bytes, more than the 3 MB that GitHub loads")
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), start=1):
        rule = rule_of(number, line)
        if rule is not None:
            yield rule


def rule_of(number: int, line: str) -> Rule | None:
    """None for a blank line, a comment, and what GitHub skips as invalid."""
    text = line.strip()
    found = PATTERN.match(text)
    # GitHub does not let a backslash turn a leading # into a pattern.
    if found is None or text.startswith(("#", "\\#", "!")):
        return None
    pattern, rest = found.group(), text[found.end() :]
    owners = rest.partition("#")[0].split()
    if "[" in pattern or pattern.strip("/") == "" or (rest and not rest[0].isspace()):
        return None
    if not all(OWNER.fullmatch(owner) for owner in owners):
        return None
    return Rule(line=number, pattern=pattern, owners=tuple(owners))


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
