"""
a @ b of two matrices in half precision, summed in float32.

Its dispatcher is written by hand; the other operators have theirs from kgate_dispatch, by `gallery.paths.dispatched`.
"""

import functools
import importlib
import logging
import os

import torch

from gallery.paths import HALVES, PACKAGES, recorded, regular

log = logging.getLogger(__name__)

VARIABLE = "GALLERY_GEMM"
KERNELS = {
    "tilelang": {"cuda": HALVES, "cpu": (torch.float32,)},
    "cutile": {"cuda": HALVES},
    "triton": {"cuda": HALVES},
}
FLAT = 64  # rows of an output up to which kernels take their tiles for few rows


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [k, n] of one dtype; the result [m, n] is dense. GALLERY_GEMM names the path.

    b may be the transpose of a dense [n, k], as the weight of a linear layer is: it is read where it is.
    """
    if not a.ndim == b.ndim == 2 or a.shape[1] != b.shape[0]:
        return fallback(a, b)
    dsl = choose(a, b)
    if dsl is None:
        return fallback(a, b)
    try:
        # Imported only now, as it imports the DSL.
        return importlib.import_module(f"{__name__}.{dsl}_").gemm(a, b)
    except Exception as error:  # noqa: BLE001  of the compiler, the driver, or the kernel's own checks
        failed(dsl, type(error).__name__)
        return fallback(a, b)


def choose(a: torch.Tensor, b: torch.Tensor) -> str | None:
    """
    The DSL whose kernel a call takes, or None for PyTorch: no kernel for these tensors, none installed, or none
    wanted. DSLs that lose to PyTorch here run only where the variable names them.

    Raises ValueError where the variable names no path.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "torch", *KERNELS):
        raise ValueError(f"{VARIABLE}={wanted}: choose one of {', '.join(KERNELS)}, torch")
    if wanted == "torch" or not regular(a, b) or recorded(a, b):
        return None
    left_out = slower(a, b)
    for dsl in [wanted] if wanted else [dsl for dsl in KERNELS if dsl not in left_out]:
        if a.dtype in KERNELS[dsl].get(a.device.type, ()) and found(dsl):
            return dsl
    return None


@functools.cache
def found(dsl: str) -> bool:
    """Tries the import once per process, and logs the one line that tells on-call why another path runs."""
    try:
        importlib.import_module(PACKAGES[dsl])
    except Exception as error:  # noqa: BLE001  DSLs have been seen to raise OSError and errors of their own
        log.warning("%s cannot be imported (%s): its kernels do not run", PACKAGES[dsl], error)
        return False
    return True


@functools.cache
def failed(dsl: str, kind: str) -> None:
    log.warning("a kernel in %s failed (%s): PyTorch answered", dsl, kind, exc_info=True)


def slower(a: torch.Tensor, b: torch.Tensor) -> tuple[str, ...]:
    """
    DSLs that torch.matmul clearly beats. On an H200, as its time over theirs: few rows (1, 4 and 8 of them, 4096 ×
    14336) in cuTile 0.58 to 0.83 and in Triton 0.56 to 0.95; a transposed b (4096 × 4096 × 14336) in Triton 0.73.
    """
    if a.shape[0] <= FLAT:
        return ("cutile", "triton")
    return () if b.is_contiguous() else ("triton",)


def fallback(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.matmul(a, b)
