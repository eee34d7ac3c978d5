"""
What the operators share: which path a call takes, and tensors laid out as kernels want them.

An operator's environment variable names the path: `tilelang`, `cutile`, `triton`, or `torch` for the fallback.
Unset, the first DSL runs that can be imported, takes the tensors, and was not found slower than PyTorch at their
shapes. It is read at every call, and kgate_dispatch counts and logs what becomes of it; `gemm` does the same by hand.
"""

import functools
import os
import shutil
from collections.abc import Callable, Mapping
from typing import Any

import torch
from kgate_dispatch import Switch, dispatch, package

Kernels = Mapping[str, Mapping[str, tuple[torch.dtype, ...]]]  # by DSL, then device type: the dtypes a kernel takes
PACKAGES = {"tilelang": "tilelang", "cutile": "cuda.tile", "triton": "triton"}
HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, *HALVES)
MOST_ELEMENTS = 2**31 - 1  # kernels count elements in 32 bits
COMPILERS = ("g++", "clang++", "c++")
ALIGNMENT = 16  # bytes that a kernel loads at once
# Compute capabilities that the DSLs compile for. A compiler that meets a later one may end the whole process, which no
# dispatcher can catch: Triton 3.6 does, in LLVM.
KNOWN = range(70, 130)
# Of the compilers, the driver and the kernels' own checks; after them PyTorch answers the call, and the log says so.
FAILURES = (RuntimeError, "triton.errors:TritonError", "cuda.tile:TileError")


def dispatched(
    variable: str, kernels: Kernels, custom: str, takes: Callable[..., bool]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Decorates what PyTorch computes: in front of it a function of kgate_dispatch for each DSL of `kernels`, the first
    one outermost, whose custom path is `custom` with the DSL in place of {}.

    `takes(dsl, …)` says whether that DSL's kernel takes a call.
    """

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        for dsl in reversed(kernels):
            function = dispatch(
                custom=custom.format(dsl),
                switch=Switch(env=variable, custom=dsl, fallback="torch"),
                needs=(package(PACKAGES[dsl]), *((compiler,) if dsl == "tilelang" else ())),
                fallback_on=FAILURES,
                when=functools.partial(takes, dsl),
            )(function)
        return function

    return decorated


def suits(dtypes: Mapping[str, tuple[torch.dtype, ...]], *tensors: torch.Tensor) -> bool:
    """
    Whether a kernel for these dtypes, by device type, takes the tensors: all of one dtype, on one device that is the
    current one, and none of them watched by autograd.
    """
    first = tensors[0]
    return first.dtype in dtypes.get(first.device.type, ()) and regular(*tensors) and not recorded(*tensors)


def compiler() -> str | None:
    """Where there is no GPU, TileLang's kernels are compiled by a C++ compiler; why they cannot be."""
    if torch.cuda.is_available() or any(map(shutil.which, (os.environ.get("CC", "gcc"), *COMPILERS))):
        return None
    return "no C++ compiler is installed"


def named(variable: str, dsl: str) -> bool:
    """Whether the switch asks for this DSL, also where it was found slower than PyTorch."""
    return os.environ.get(variable) == dsl


def regular(*tensors: torch.Tensor) -> bool:
    """
    Whether all share dtype and device, the device is the current one and of a known kind, and none is too large for
    32-bit indices.
    """
    first = tensors[0]
    index = first.device.index
    if first.is_cuda and (index != torch.cuda.current_device() or capability(index) not in KNOWN):
        return False
    return all(x.dtype == first.dtype and x.device == first.device and x.numel() <= MOST_ELEMENTS for x in tensors)


def recorded(*tensors: torch.Tensor) -> bool:
    """Whether autograd records a call with these tensors; a kernel's result would silently have no gradient."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


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
