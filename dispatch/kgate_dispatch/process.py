"""All dispatch functions of this process."""

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgate_dispatch.function import DispatchFunction

declared: "weakref.WeakSet[DispatchFunction[..., Any]]" = weakref.WeakSet()


def functions() -> "list[DispatchFunction[..., Any]]":
    """By name: for a metrics exporter, or for a page that whoever is on call can open."""
    return sorted(declared, key=lambda function: function.name)


def reset() -> None:
    """`reset()` of every function: after a switch has changed, the one call that reaches compiled code too."""
    for function in functions():
        function.reset()
