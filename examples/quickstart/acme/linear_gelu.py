"""gelu(x @ w + b), the first half of a transformer's feed-forward layer."""

import torch

from acme.paths import answered, dense, switched_on, tilelang_found

DTYPES = {"cpu": (torch.float32,), "cuda": (torch.float16, torch.bfloat16)}


def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [k, n], b [n] of one float dtype; ACME_LINEAR_GELU=0 turns the kernel off from the next call on."""
    if switched_on("ACME_LINEAR_GELU") and supported(x, w, b) and tilelang_found():
        return answered(custom, fallback, x, w, b)
    return fallback(x, w, b)


def supported(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> bool:
    return (
        x.dtype == w.dtype == b.dtype
        and x.dtype in DTYPES.get(x.device.type, ())
        and (x.ndim, w.ndim, b.ndim) == (2, 2, 1)
        and x.numel() > 0
        and w.numel() > 0
    )


def custom(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [k, n], b [n], none of them 0; float32 on the CPU, float16 or bfloat16 on CUDA."""
    from acme.kernels import linear_gelu as kernels

    if x.is_cuda:
        kernel = kernels.on_cuda(*w.shape, str(x.dtype).removeprefix("torch."), **kernels.tiles(x.shape[0]))
    else:
        kernel = kernels.on_cpu()
    return kernel(dense(x), dense(w), dense(b))


def fallback(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(torch.addmm(b, x, w))
