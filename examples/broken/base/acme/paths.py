"""What the operators share in choosing between their TileLang kernel and PyTorch."""

import functools
import logging
import os
from collections.abc import Callable

import torch

log = logging.getLogger(__name__)
told: set[tuple[str, str]] = set()  # failures that have had their one line: operator and exception


def switched_on(variable: str) -> bool:
    """Kernels are on unless the environment variable says otherwise."""
    return os.environ.get(variable, "1") == "1"


@functools.cache
def tilelang_found() -> bool:
    """Tries the import once per process, and logs the one line that tells on-call why PyTorch is running."""
    try:
        import tilelang  # noqa: F401
    except Exception as error:  # noqa: BLE001  a package that does not fit this machine may raise anything
        log.warning("TileLang cannot be imported (%s): PyTorch runs instead of Acme's kernels", error)
        return False
    return True


def answered(custom: Callable[..., torch.Tensor], fallback: Callable[..., torch.Tensor], *tensors: torch.Tensor):
    """custom's answer, or fallback's where the kernel does not compile or start; the next call tries it again."""
    try:
        return custom(*tensors)
    except Exception as error:  # noqa: BLE001  of the compiler, the driver, or the kernel's own checks
        failure = (custom.__module__, type(error).__name__)
        if failure not in told:
            told.add(failure)
            log.warning("%s: the kernel failed (%s): PyTorch answers instead", custom.__module__, error)
        return fallback(*tensors)


def dense(x: torch.Tensor) -> torch.Tensor:
    """x itself, or a copy where x has gaps or does not start at the 16 bytes that the kernels load at once."""
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()
