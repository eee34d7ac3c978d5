"""Kernels for a CUDA device, and ways in which such a device is lost."""

import functools

import torch


def add(x, y):
    return x + y


def product(x, y):
    return x @ y


def out_of_range(x, y):
    """An illegal access: the context answers nothing after it."""
    return x[torch.full_like(x, 1 << 20, dtype=torch.int64)]


def too_much(x, y):
    return torch.empty(1 << 46, dtype=torch.uint8, device=x.device)


def on_another_stream(x, y):
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(4_000_000)
        return x + y


def on_a_stream_that_is_joined(x, y):
    side, own = torch.cuda.Stream(), torch.cuda.current_stream()
    side.wait_stream(own)
    with torch.cuda.stream(side):
        out = x + y
    own.wait_stream(side)
    return out


def waits(x, y):
    return x + y.sum().item()


@functools.lru_cache(maxsize=None)
def built(length):
    import tilelang
    import tilelang.language as T

    @T.prim_func
    def tiled_add_kernel(
        x: T.Tensor((length,), "float32"), y: T.Tensor((length,), "float32"), z: T.Tensor((length,), "float32")
    ):
        with T.Kernel(T.ceildiv(length, 128), threads=128) as block:
            for i in T.Parallel(128):
                z[block * 128 + i] = x[block * 128 + i] + y[block * 128 + i]

    return tilelang.compile(tiled_add_kernel, target="cuda")


def tiled_add(x, y):
    out = torch.empty_like(x)
    built(x.numel())(x, y, out)
    return out


def roomy(x, y):
    """Three kernel launches, and a MiB that is needed for the call alone."""
    scratch = torch.empty(1 << 20, dtype=torch.uint8, device=x.device)
    return x + y + y + scratch.numel() * 0.0
