"""Eager torch: nothing to compile, and no kernel of the user's own to tell of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version

from kgate.worker.adapters import Built, Compiles, missing

PACKAGE = "torch"


def available() -> str:
    return missing(PACKAGE)


def prepare() -> None:
    import_module("torch")


def compiles() -> Compiles | None:
    return None


def is_compile_error(error: BaseException) -> bool:
    return False


def identity() -> Mapping[str, str]:
    return {"torch": version("torch")}


@contextmanager
def used() -> Iterator[list[Built]]:
    yield []


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    yield []


def tuned() -> Mapping[str, str]:
    return {}


def spaces() -> Mapping[str, Sequence[str]]:
    return {}


def freeze(picks: Mapping[str, str]) -> None:
    """Eager torch has no autotuner of which picks could be taken."""
