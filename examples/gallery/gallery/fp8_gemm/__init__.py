"""
a @ bᵀ of two matrices in 8-bit floats (e4m3) with a scale per block, as DeepSeek-V3 keeps its weights and
activations.

A scale belongs to 128 values of a row of a, and to 128 × 128 values of b: the product is
sum over blocks p of a_scale[i, p] · b_scale[j // 128, p] · sum over k in p of a[i, k] · b[j, k].
"""

import torch

from gallery.paths import capability, dispatched, suits

KERNELS = {"tilelang": {"cuda": (torch.float8_e4m3fn,)}}
BLOCK = 128
OLDEST = 89  # compute capability that has 8-bit floats


def takes(dsl: str, a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor, b_scale: torch.Tensor) -> bool:
    return suits(KERNELS[dsl], a, b) and fits(a, a_scale, b, b_scale) and capability(a.device.index) >= OLDEST


@dispatched("GALLERY_FP8_GEMM", KERNELS, "gallery.fp8_gemm.{}_:fp8_gemm", takes)
def fp8_gemm(a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor, b_scale: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [n, k] float8_e4m3fn; a_scale [m, ⌈k / 128⌉], b_scale [⌈n / 128⌉, ⌈k / 128⌉] float32; result [m, n]
    bfloat16. GALLERY_FP8_GEMM names the path.
    """
    return fallback(a, a_scale, b, b_scale)


def fits(a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor, b_scale: torch.Tensor) -> bool:
    if not a.ndim == b.ndim == 2 or a.shape[1] != b.shape[1] or a_scale.dtype != b_scale.dtype:
        return False
    m, n, blocks = a.shape[0], -(-b.shape[0] // BLOCK), -(-a.shape[1] // BLOCK)
    return a_scale.shape == (m, blocks) and b_scale.shape == (n, blocks) and a_scale.dtype == torch.float32


def fallback(a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor, b_scale: torch.Tensor) -> torch.Tensor:
    """What a model runs without the kernel: both matrices in bfloat16, or in float64 where the scales are float64."""
    dtype = torch.float64 if a_scale.dtype == torch.float64 else torch.bfloat16
    a_wide = a.to(a_scale.dtype) * spread(a_scale, 1, a.shape)
    b_wide = b.to(b_scale.dtype) * spread(spread(b_scale, 0, (b.shape[0], b_scale.shape[1])), 1, b.shape)
    return torch.matmul(a_wide.to(dtype), b_wide.to(dtype).t())


def spread(scale: torch.Tensor, dim: int, shape: tuple[int, ...]) -> torch.Tensor:
    """Each scale repeated for the 128 values it belongs to along `dim`, cut to `shape`."""
    return scale.repeat_interleave(BLOCK, dim).narrow(dim, 0, shape[dim])


def quantize(x: torch.Tensor, rows: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    """
    x [m, k] as 8-bit floats with a scale per `rows` × 128 values, which maps the largest of them to 448, e4m3's
    largest.

    rows=1 is for activations, rows=128 for weights. Returns [m, k] float8_e4m3fn and [⌈m / rows⌉, ⌈k / 128⌉] float32.
    """
    m, k = x.shape
    padded = torch.nn.functional.pad(x.float(), (0, -k % BLOCK, 0, -m % rows))
    blocks = padded.view(padded.shape[0] // rows, rows, padded.shape[1] // BLOCK, BLOCK)
    scale = blocks.abs().amax((1, 3)).clamp(min=1e-4) / 448.0
    values = (blocks / scale[:, None, :, None]).to(torch.float8_e4m3fn)
    return values.view(padded.shape)[:m, :k].contiguous(), scale
