"""
What a product's dispatch function says of its own paths, known by its form and not by its class: an attribute
`__kgate__`, a mapping with version, custom, fallback, switch and packages. `kgate_dispatch` has one; so may others.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from kgate.protocol import Described, Failed
from kgate.worker import loading
from kgate.worker.faults import Fault, foreign

ATTRIBUTE = "__kgate__"
VERSION = 1  # of the mapping


def described(entry: str, tree: str) -> Described | Failed:
    """`entry` is loaded as it would be for a case, and not called."""
    loading.enter(tree)
    try:
        function = loading.function_of(entry, tree)
        said = foreign("import", partial(getattr, function, ATTRIBUTE, None))
        return foreign("import", partial(read, entry, type(function).__name__, said))
    except Fault as fault:
        return fault.failed(entry)


def read(entry: str, type_name: str, said: Any) -> Described:
    """What is of another version, or misses a path, tells nothing."""
    if not isinstance(said, Mapping) or said.get("version") != VERSION:
        return Described(entry=entry, type_name=type_name)
    return Described(
        entry=entry,
        type_name=type_name,
        custom=str(said.get("custom") or ""),
        fallback=str(said.get("fallback") or ""),
        switch={str(key): str(value) for key, value in dict(said.get("switch") or {}).items()},
        packages=tuple(map(str, said.get("packages") or ())),
    )
