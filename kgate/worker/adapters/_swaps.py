"""A function of a DSL's put aside for a while, by one that listens or pretends."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def swapped(owner: Any, **values: Any) -> Iterator[None]:
    """Attributes of a module or a class, as they are within it."""
    before = {name: getattr(owner, name) for name in values}
    try:
        for name, value in values.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
