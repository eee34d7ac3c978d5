"""
What the operators share: which path a call takes, and tensors laid out as kernels want them.

An operator's environment variable names the path: `tilelang`, `cutile`, `triton`, or `torch` for the fallback.
Unset, the first DSL runs that can be imported, takes the tensors, and was not found slower than PyTorch at their
shapes. It is read at every call.
"""

import functools
import importlib
import logging
import os
from collections.abc import Collection, Mapping
from types import ModuleType

import torch

log = logging.getLogger(__name__)

Kernels = Mapping[str, Mapping[str, tuple[torch.dtype, ...]]]  # by DSL, then device type: the dtypes a kernel takes
PACKAGES = {"tilelang": "tilelang", "cutile": "cuda.tile", "triton": "triton"}
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, *HALVES)
MOST_ELEMENTS = 2**31 - 1  # kernels count elements in 32 bits
ALIGNMENT = 16  # bytes that a kernel loads at once


def choose(variable: str, kernels: Kernels, *tensors: torch.Tensor, slower: Collection[str] = ()) -> str | None:
    """
    The DSL whose kernel a call takes, or None for PyTorch: no kernel for these tensors, none installed, or none
    wanted. DSLs in `slower` lose to PyTorch here: they run only where the variable names them.

    All tensors must be of one dtype, on one device that is the current one, and none of them watched by autograd.
    Raises ValueError where the variable names no path.
    """
    wanted = os.environ.get(variable, "")
    if wanted not in ("", "torch", *kernels):
        raise ValueError(f"{variable}={wanted}: choose one of {', '.join(kernels)}, torch")
    if wanted == "torch" or not regular(*tensors) or recorded(*tensors):
        return None
    first = tensors[0]
    for dsl in [wanted] if wanted else [dsl for dsl in kernels if dsl not in slower]:
        if first.dtype in kernels[dsl].get(first.device.type, ()) and found(dsl):
            return dsl
    return None


def regular(*tensors: torch.Tensor) -> bool:
    """Whether all share dtype and device, the device is the current one, and none is too large for 32-bit indices."""
    first = tensors[0]
    if first.is_cuda and first.device.index != torch.cuda.current_device():
        return False
    return all(x.dtype == first.dtype and x.device == first.device and x.numel() <= MOST_ELEMENTS for x in tensors)


def recorded(*tensors: torch.Tensor) -> bool:
    """Whether autograd records a call with these tensors; a kernel's result would silently have no gradient."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


@functools.cache
def found(dsl: str) -> bool:
    """Tries the import once per process, and logs the one line that tells on-call why another path runs."""
    try:
        importlib.import_module(PACKAGES[dsl])
    except (ImportError, OSError) as error:  # OSError: installed, but a shared library of it does not load
        log.warning("%s cannot be imported (%s): its kernels do not run", PACKAGES[dsl], error)
        return False
    return True


def kernels_of(operator: str, dsl: str) -> ModuleType:
    """The module of an operator's kernels in one DSL, imported only now, as it imports the DSL."""
    return importlib.import_module(f"{operator}.{dsl}_")


@functools.cache
def hinted(kernel, **hints: int):
    """A cuTile kernel with hints for its compiler, kept: each one made anew would compile anew."""
    return kernel.replace_hints(**hints)


def dense(x: torch.Tensor) -> torch.Tensor:
    """x itself, or a copy where x has gaps or does not start at an address that a kernel can load from."""
    x = x.contiguous()
    return x if x.data_ptr() % ALIGNMENT == 0 else x.clone()


def rows_apart(x: torch.Tensor) -> torch.Tensor:
    """
    x itself where its last dimension is dense and all other strides are steps of 16 bytes, as in a slice of a larger
    buffer or with two leading dimensions swapped; otherwise a dense copy.
    """
    step = ALIGNMENT // x.element_size()
    fits = x.stride(-1) == 1 and all(s > 0 and s % step == 0 for s in x.stride()[:-1])
    return x if fits and x.data_ptr() % ALIGNMENT == 0 else dense(x)


def dtype_name(x: torch.Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")


@functools.cache
def capability(index: int) -> int:
    """Compute capability of a CUDA device as one number: 80, 90, 100."""
    major, minor = torch.cuda.get_device_capability(index)
    return 10 * major + minor


def wide(dtype: torch.dtype) -> torch.dtype:
    """The dtype that PyTorch formulas here compute in: float32, or float64 where the input is float64."""
    return torch.promote_types(dtype, torch.float32)
