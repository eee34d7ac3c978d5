"""Variables of the gate's surroundings that no code of a repository is given: neither a build nor a worker."""

from fnmatch import fnmatchcase
from typing import Final

PATTERNS: Final = (
    *("GITHUB_*", "ACTIONS_*", "RUNNER_*", "INPUT_*", "GH_*", "KGATE_*"),
    *("*TOKEN*", "*SECRET*", "*PASSWORD*", "*CREDENTIAL*", "*_API_KEY"),
)


def withheld(name: str) -> bool:
    """Whatever its letters' case, and also where a manifest names it: a change must not be a way to credentials."""
    return any(fnmatchcase(name.upper(), pattern) for pattern in PATTERNS)
