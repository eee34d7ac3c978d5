"""Triton kernels for a GPU. Each function without an argument is an entry."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=2) for block in (256, 512)], key=["n"])
@triton.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@triton.jit
def unknown_kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), no_such_name)


def add(n=4096, start=0):
    x, y = made(n)[start:], made(n)[start:]
    out = torch.empty_like(x)
    add_kernel[triton.cdiv(n, 1024),](x, y, out, n, BLOCK=1024)
    return out


def add_aside():
    """Of addresses that no 16 bytes divide."""
    return add(start=1)


def tuned():
    x = made(4096)
    scale_kernel[lambda meta: (triton.cdiv(4096, meta["BLOCK"]),)](x, x, 4096, 2.0)
    return x


def refused():
    unknown_kernel[1,](made(128), BLOCK=128)


def raises():
    add_kernel[1,](made(128), BLOCK=128)


def made(n):
    return torch.ones(n, device="cuda")
