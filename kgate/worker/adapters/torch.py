"""Eager torch: nothing to compile."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version

from kgate.worker.adapters import Compiles, missing


def available() -> str:
    return missing("torch")


def prepare() -> None:
    import_module("torch")


def compiles() -> Compiles | None:
    return None


def is_compile_error(error: BaseException) -> bool:
    return False


def identity() -> Mapping[str, str]:
    return {"torch": version("torch")}
