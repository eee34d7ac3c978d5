"""What a wrong name was probably meant to be."""

import difflib
from collections.abc import Iterable

# Beyond this many a list of all names helps nobody.
LISTED = 16


def closest(name: str, known: Iterable[str]) -> str:
    """The most similar known name, "" if none is similar; case does not count."""
    by_lower = {k.lower(): k for k in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about a wrong name: `; did you mean 'x'?`, or the names there are."""
    names = tuple(known)
    if found := closest(name, names):
        return f"; did you mean {found!r}?"
    if not names:
        return "; there is none"
    more = ", …" if len(names) > LISTED else ""
    return f"; known: {', '.join(names[:LISTED])}{more}"
