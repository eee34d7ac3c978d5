"""What torch is doing at the moment, asked without importing it: a product may use this package without torch."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def loaded_torch() -> ModuleType | None:
    return sys.modules.get("torch")


def compiling() -> bool:
    """Whether a compiler or an exporter traces this call. torch.compile takes the answer for a constant, True."""
    torch = sys.modules.get("torch")
    try:
        return torch is not None and torch.compiler.is_compiling()
    except AttributeError:  # another thread is just importing torch
        return False


def while_tracing(method: F) -> F:
    """
    torch.compile calls such a method there and then, and takes what it returns for a constant.

    The public torch.compiler.assume_constant_result sets the same mark, and cannot be had without importing torch.
    """
    method._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return method


def capturing() -> bool:
    """Whether the current CUDA stream is being captured into a graph."""
    torch = sys.modules.get("torch")
    try:
        return torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
    except AttributeError:  # as above
        return False
