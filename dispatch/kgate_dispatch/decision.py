"""The words: two paths, and the reasons for which one of them is taken."""

from typing import Final, Literal, NamedTuple

Path = Literal["custom", "fallback"]
Reason = Literal["default", "switch", "using", "unavailable", "refused", "failed", "raised", "traced"]

PATHS: Final[tuple[Path, ...]] = ("custom", "fallback")


class Decision(NamedTuple):
    """
    Equal to a plain pair, so that counts()["fallback", "refused"] reads well. The reasons:

    default      the environment variable is not set
    switch       the environment variable says so
    using        the caller said so: `with function.using(path)`
    unavailable  a need is not met, or the custom path's module cannot be imported
    refused      `when` said no to these arguments
    failed       the custom path raised an error named in `fallback_on`; the fallback answered
    raised       the custom path raised any other error, which went to the caller
    traced       not a call: a compiler traced the function with this path
    """

    path: Path
    reason: Reason
