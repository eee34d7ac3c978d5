"""
RMSNorm over the last dimension of a matrix, forward and backward, with gradients for training.

With r = 1 / sqrt(mean(x²) + eps) per row: out = x · r · weight. Statistics and products are formed in float32 and
rounded once, as in torch.nn.functional.rms_norm.
"""

import torch

from gallery.paths import FLOATS, dispatched, recorded, suits, wide

KERNELS = {"tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)}, "triton": {"cuda": FLOATS}}
KERNELS_BACKWARD = {"tilelang": {"cuda": FLOATS}, "triton": {"cuda": FLOATS}}
EPS = 1e-6
WIDEST_ROW = 16384  # columns; the kernels hold a row in registers


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = EPS) -> torch.Tensor:
    """x [rows, columns] of any strides, weight [columns], of one dtype; GALLERY_RMS_NORM names the path."""
    if recorded(x, weight):
        return RMSNorm.apply(x, weight, eps)
    return forward(x, weight, eps)


def takes(dsl: str, x: torch.Tensor, weight: torch.Tensor, eps: float) -> bool:
    return fits(x, weight) and suits(KERNELS[dsl], x, weight)


def takes_backward(dsl: str, grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float) -> bool:
    return fits(x, weight) and suits(KERNELS_BACKWARD[dsl], grad, x, weight)


def fits(x: torch.Tensor, weight: torch.Tensor) -> bool:
    return x.ndim == 2 and x.shape[1:] == weight.shape and x.shape[1] <= WIDEST_ROW


@dispatched("GALLERY_RMS_NORM", KERNELS, "gallery.rms_norm.{}_:rms_norm", takes)
def forward(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return fallback(x, weight, eps)


@dispatched("GALLERY_RMS_NORM_BACKWARD", KERNELS_BACKWARD, "gallery.rms_norm.{}_:rms_norm_backward", takes_backward)
def backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    return fallback_backward(grad, x, weight, eps)


def rms_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float = EPS
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    The gradients of x [rows, columns] and of weight [columns], from grad, that of the output, [rows, columns].

    GALLERY_RMS_NORM_BACKWARD names the path. Summed in a fixed order: the same inputs give the same bits.
    """
    return backward(grad, x, weight, eps)


class RMSNorm(torch.autograd.Function):
    """
    Ties the two together for autograd. A row's r is computed again on the way back, which costs no memory traffic.
    """

    @staticmethod
    def forward(ctx, x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return forward(x, weight, eps)

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        return *rms_norm_backward(grad, *ctx.saved_tensors, ctx.eps), None


def fallback(x: torch.Tensor, weight: torch.Tensor, eps: float = EPS) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, weight.shape, weight, eps)


def unfused(x: torch.Tensor, weight: torch.Tensor, eps: float = EPS) -> torch.Tensor:
    """The formula as models spell it out: five kernels on a GPU, each a round trip through memory."""
    x_wide = x.to(wide(x.dtype))
    return (x_wide * torch.rsqrt(x_wide.square().mean(-1, keepdim=True) + eps) * weight).to(x.dtype)


def fallback_backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float = EPS
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    With n = x · r and g = grad · weight: dx = r · (g - n · mean(g · n)), dweight = sum of grad · n over the rows.
    """
    dtype = wide(x.dtype)
    x_wide, grad_wide = x.to(dtype), grad.to(dtype)
    r = torch.rsqrt(x_wide.square().mean(-1, keepdim=True) + eps)
    normal = x_wide * r
    g = grad_wide * weight.to(dtype)
    dx = r * (g - normal * (g * normal).mean(-1, keepdim=True))
    return dx.to(x.dtype), (grad_wide * normal).reshape(-1, x.shape[-1]).sum(0).to(weight.dtype)
