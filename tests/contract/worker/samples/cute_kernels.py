"""Kernels in CuTe DSL. Each function without arguments is an entry."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack, make_fake_compact_tensor

ROWS = 2048


@cute.kernel
def add_kernel(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 128 + thread
    z[i] = x[i] + y[i]


@cute.jit
def launch_add(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor):
    add_kernel(x, y, z).launch(grid=[cute.size(x) // 128, 1, 1], block=[128, 1, 1])


@cute.jit
def launch_any(x, y, z):
    add_kernel(x, y, z).launch(grid=[cute.size(x) // 128, 1, 1], block=[128, 1, 1])


@cute.kernel
def reverse_kernel(x: cute.Tensor, z: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    held = cutlass.memory.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(ROWS), byte_alignment=16)
    held[thread] = x[thread]
    cute.arch.sync_threads()
    z[thread] = held[127 - thread]


@cute.jit
def launch_both(x: cute.Tensor, z: cute.Tensor):
    reverse_kernel(x, z).launch(grid=[1, 1, 1], block=[128, 1, 1])
    add_kernel(x, x, z).launch(grid=[1, 1, 1], block=[128, 1, 1])


@cute.kernel
def wrong_kernel(x: cute.Tensor):
    x[0] = no_such_function(x[0])  # noqa: F821


@cute.jit
def launch_wrong(x: cute.Tensor):
    wrong_kernel(x).launch(grid=[1, 1, 1], block=[128, 1, 1])


@cute.jit
def double_on_the_host(n: cutlass.Int32):
    cute.printf("twice {}", n)


def add():
    x = torch.empty(4096, device="cuda")
    z = torch.empty_like(x)
    launch_add(from_dlpack(x), from_dlpack(x), from_dlpack(z))
    return z


def implicit():
    """Torch's own tensors, which become CuTe's with sizes that are not fixed."""
    x = torch.empty(4096, device="cuda", dtype=torch.bfloat16)
    launch_any(x, x, x)
    return x


def built_only():
    x = make_fake_compact_tensor(cutlass.Float32, (4096,))
    cute.compile(launch_add, x, x, x)


def both():
    x = make_fake_compact_tensor(cutlass.Float32, (4096,))
    cute.compile(launch_both, x, x)


held = []


def compiled_once():
    """As a wrapper keeps what it has compiled."""
    if not held:
        x = make_fake_compact_tensor(cutlass.Float32, (4096,))
        held.append(cute.compile(launch_add, x, x, x))
    x = from_dlpack(torch.empty(4096, device="cuda"))
    held[0](x, x, x)
    held[0].to(0)(x, x, x)


def wrong():
    cute.compile(launch_wrong, make_fake_compact_tensor(cutlass.Float32, (4096,)))


def host():
    double_on_the_host(2)


def through_tvm_ffi():
    x = make_fake_compact_tensor(cutlass.Float32, (4096,))
    compiled = cute.compile(launch_add, x, x, x, options="--enable-tvm-ffi")
    y = torch.empty(4096, device="cuda")
    compiled(y, y, y)
