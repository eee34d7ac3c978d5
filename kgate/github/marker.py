"""The first line of our comment: which manifest and run it is of, and how one run's comment ranks against another's."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

PATTERN = re.compile(
    r"<!-- kgate manifest=(?P<manifest>[\w.~%/-]*) run=(?P<run>[0-9]{1,18}) attempt=(?P<attempt>[0-9]{1,9}) "
    r"head=(?P<head>[0-9a-f]*) verdict=(?P<verdict>[a-z-]+) nonce=(?P<nonce>[0-9a-f]+) -->",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Marker:
    """
    `manifest` tells apart the comments of several manifests in one repository. `nonce` is of one posting, so that a
    POST whose answer was lost can be looked for instead of repeated.
    """

    manifest: str
    run: int
    attempt: int
    head: str  # the commit that was measured, of a pull request the tip of its branch
    verdict: str
    nonce: str

    def __str__(self) -> str:
        return (
            f"<!-- kgate manifest={quote(self.manifest)} run={self.run} attempt={self.attempt} "
            f"head={self.head} verdict={self.verdict} nonce={self.nonce} -->"
        )

    def rank(self, current: str) -> tuple[bool, int, int]:
        """Greater is newer, where the pull request is at commit `current`: the newest commit wins, then the run."""
        return (self.head == current, self.run, self.attempt)


def marker_of(body: str) -> Marker | None:
    """Of a body that begins with one."""
    match = PATTERN.match(body)
    if match is None:
        return None
    return Marker(
        manifest=unquote(match["manifest"]),
        run=int(match["run"]),
        attempt=int(match["attempt"]),
        head=match["head"],
        verdict=match["verdict"],
        nonce=match["nonce"],
    )
