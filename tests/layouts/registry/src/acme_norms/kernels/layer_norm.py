import torch
import triton
import triton.language as tl

from acme_norms.registry import register


@triton.jit
def _moments(values, mask, columns):
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(mask, values - mean, 0.0)
    return centred, tl.sum(centred * centred, axis=0) / columns


@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["columns"])
@triton.jit
def _layer_norm_kernel(out, x, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    values = tl.load(x + row * columns + at, mask=mask, other=0.0).to(tl.float32)
    centred, variance = _moments(values, mask, columns)
    weights = tl.load(weight + at, mask=mask, other=0.0)
    biases = tl.load(bias + at, mask=mask, other=0.0)
    tl.store(out + row * columns + at, centred * tl.rsqrt(variance + eps) * weights + biases, mask=mask)


@register("layer_norm", backend="triton")
def layer_norm(x, weight, bias, eps=1e-5):
    out = torch.empty_like(x)
    rows, columns = x.shape
    _layer_norm_kernel[(rows,)](out, x, weight, bias, columns, eps, BLOCK=triton.next_power_of_2(columns))
    return out
