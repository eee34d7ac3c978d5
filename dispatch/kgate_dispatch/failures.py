"""
Which errors of the custom path the fallback may answer for.

None, unless they are declared: an error nobody thought of is a bug, and a product that answers it with the fallback
is a slow product with a bug that nobody hears of. What is declared is named by kind, narrow enough that a misspelt
name or a wrong argument never counts.
"""

from collections.abc import Iterable

from kgate_dispatch.naming import loaded

Kind = type[Exception] | str
# A kind that would catch one of these is too wide: they say that the code is wrong, not that the kernel cannot run.
BUGS = (TypeError, AttributeError, NameError, AssertionError, SyntaxError)


class Failures:
    """Kinds may be names, `module:Error`, since the errors of a DSL cannot be imported where the DSL is missing."""

    def __init__(self, kinds: Kind | Iterable[Kind]) -> None:
        listed = (kinds,) if isinstance(kinds, str | type) else tuple(kinds)
        self._classes = tuple(kind for kind in listed if not isinstance(kind, str))
        self._names = tuple(kind for kind in listed if isinstance(kind, str))
        for name in self._names:
            module, _, path = name.partition(":")
            if not module or not path:
                raise ValueError(f"fallback_on={name!r}: write a name as module:Error")
        for kind in (*self._classes, *self._loaded()):
            refuse_too_wide(kind)

    def classes(self) -> tuple[type[Exception], ...]:
        """
        For an `except` clause, which Python evaluates only when something was raised. A name whose module is not
        loaded cannot be the kind of an error that was just raised.
        """
        return (*self._classes, *self._loaded())

    def _loaded(self) -> list[type[Exception]]:
        found = (loaded(name) for name in self._names)
        return [kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)]


def refuse_too_wide(kind: object) -> None:
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise TypeError(f"fallback_on: {kind!r} is no kind of error")
    caught = [bug.__name__ for bug in BUGS if issubclass(bug, kind)]
    if caught or not issubclass(kind, Exception):
        swallowed = f" would hide bugs ({', '.join(caught)})" if caught else " ends a program and is not for a fallback"
        raise ValueError(f"fallback_on: {kind.__name__}{swallowed}; name the errors that the kernel is known to raise")
