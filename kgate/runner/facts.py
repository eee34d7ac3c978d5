"""
The shapes of a worker's facts. A worker may write anything under any name; what rules and reports read has one shape.

Keys that are not known pass as they are: nothing reads them.
"""

import re
from collections.abc import Callable, Mapping

from kgate.protocol import PICK_LETTERS, PICKS

NAMES_LIMIT = 5000  # of one list or mapping
LETTERS_LIMIT = 1000  # of one name
COUNT_LIMIT = 1 << 63
DIGEST = re.compile(r"[0-9a-f]{64}\Z")


def plain_path(name: str) -> bool:
    """A relative POSIX path that stays where it begins."""
    return bool(name) and not name.startswith("/") and "\0" not in name and ".." not in name.split("/")


def is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < COUNT_LIMIT


def is_flag(value: object) -> bool:
    return type(value) is bool


def is_text(value: object) -> bool:
    return isinstance(value, str)


def are_names(value: object) -> bool:
    """A list of text, not too long."""
    return isinstance(value, list) and len(value) <= NAMES_LIMIT and all(map(is_name, value))


def is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LETTERS_LIMIT


def are_digests(value: object) -> bool:
    """sha256 by name."""
    return (
        isinstance(value, dict)
        and len(value) <= NAMES_LIMIT
        and all(is_name(name) and isinstance(digest, str) and DIGEST.match(digest) for name, digest in value.items())
    )


def are_picks(value: object) -> bool:
    """Text by name, few enough and short enough."""
    return (
        isinstance(value, dict)
        and len(value) <= PICKS
        and all(is_name(word) and len(word) <= PICK_LETTERS for pick in value.items() for word in pick)
    )


def are_files(value: object) -> bool:
    """sha256 by path below the tree."""
    return are_digests(value) and isinstance(value, dict) and all(map(plain_path, value))


SHAPES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "loaded-files": (are_files, "sha256 by path below the tree"),
    "opened-files": (are_files, "sha256 by path below the tree"),
    "input-digests": (are_digests, "sha256 by name"),
    "inputs-changed": (are_names, "a list of names"),
    "device-kernels": (are_names, "a list of names"),
    "device-trace": (are_names, "a list of launches"),
    "narrowed-by": (are_names, "a list of names"),
    "reference-dtype": (are_names, "a list of names"),
    "reached-custom": (is_count, "a count"),
    "reached-fallback": (is_count, "a count"),
    "peak-bytes": (is_count, "a count"),
    "workspace-bytes": (is_count, "a count"),
    "kernel-launches": (is_count, "a count"),
    "tuned": (are_picks, "a pick by the name of its autotuner"),
    "spaces": (are_digests, "sha256 by name"),
    "configurations": (are_names, "a list of names"),
    "compiles": (is_count, "a count"),
    "moments": (are_names, "a list of names"),
    "called-fallback": (is_count, "a count"),
    "repeats": (is_count, "a count"),
    "repeats-differ": (is_count, "a count"),
    "shared-with-input": (are_names, "a list of names"),
    "output-reused": (are_names, "a list of names"),
    "output-types": (are_names, "a list of names"),
    "expanded-apart": (are_names, "a list of names"),
    "wrote-outside": (are_names, "a list of names"),
    "ignores": (are_names, "a list of names"),
    "ignores-in-zeros": (are_names, "a list of names"),
    "rows": (is_count, "a count"),
    "rows-apart": (are_names, "a list of names"),
    "stream": (is_flag, "true or false"),
    "stream-apart": (are_names, "a list of names"),
    "holds": (are_names, "a list of names"),
    "figures": (are_picks, "a value by the name of its figure"),
    "said": (is_text, "text"),
    "heeds": (are_names, "a list of names"),
    "surroundings": (are_names, "a list of names"),
    "logged": (is_flag, "true or false"),
    "logged-by": (are_names, "a list of names"),
    "failed-backward": (are_names, "a list of names"),
    "packages-loaded": (are_names, "a list of names"),
    "versions": (are_picks, "a version by the name of its package"),
    "reached-custom-before": (is_count, "a count"),
    "reached-custom-again": (is_count, "a count"),
    "reached-custom-other": (is_count, "a count"),
    "not-met": (is_text, "text"),
    "not-noticed": (is_text, "text"),
    "note": (is_text, "text"),
}


def misshapen(facts: Mapping[str, object]) -> str:
    """Why a rule could not read these, as the end of a sentence; "" if it can."""
    for key, (fits, wanted) in SHAPES.items():
        if key in facts and not fits(facts[key]):
            return f"gave {str(facts[key])[:40]!r} as the fact {key!r}, which is {wanted}"
    return ""
