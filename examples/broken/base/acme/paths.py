"""What the operators share in choosing between their TileLang kernel and PyTorch."""

import functools
import logging
import os

import torch

log = logging.getLogger(__name__)


def switched_on(variable: str) -> bool:
    """Kernels are on unless the environment variable says otherwise."""
    return os.environ.get(variable, "1") == "1"


@functools.cache
def tilelang_found() -> bool:
    """Tries the import once per process, and logs the one line that tells on-call why PyTorch is running."""
    try:
        import tilelang  # noqa: F401
    except (ImportError, OSError) as error:  # OSError: installed, but a shared library of it does not load
        log.warning("TileLang cannot be imported (%s): PyTorch runs instead of Acme's kernels", error)
        return False
    return True


def dense(x: torch.Tensor) -> torch.Tensor:
    """x itself, or a copy where x has gaps or does not start at the 16 bytes that the kernels load at once."""
    x = x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()
