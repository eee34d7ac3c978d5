"""
What benchmarks/gallery.py runs: operators of examples/gallery with their shapes and rivals.

Shapes are those of the gallery's kgate.yaml, or stand for them; timed ones are the shapes of public models.
"""

import torch

from .inputs import (
    BF16,
    CUTILE,
    F16,
    F32,
    TILELANG,
    TRITON,
    Operator,
    elementwise,
    heads,
    linear,
    norm,
    product,
    rows,
    scaled,
)
from .spaces import ATTENTION_SPACES, GEMM_SPACES, LINEAR_SPACES, SCALED_SPACES, SOFTMAX_SPACES


def unfused_norm(x, weight, eps):
    from gallery.rms_norm import unfused

    return unfused(x, weight, eps)


def flash(q, k, v, mask, causal):
    """SDPA by its own flash kernel, which takes no mask."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)


def scaled_mm(a, a_scale, b, b_scale):
    """torch's own product with block scales, where this build and GPU have it."""
    from torch.nn.functional import ScalingType, scaled_mm

    one, square = ScalingType.BlockWise1x128, ScalingType.BlockWise128x128
    return scaled_mm(a, b.t(), a_scale, one, b_scale.t(), square, output_dtype=BF16)


ALL = (TILELANG, CUTILE, TRITON)

OPERATORS = (
    Operator(
        name="vector_add",
        package="vector_add",
        dsls=ALL,
        cases=(
            elementwise("33554432 f32", 1 << 25, dtype=F32, timed=True),
            elementwise("29360128 bf16", 4096 * 7168, dtype=BF16, timed=True),
            elementwise("16735581 f16", 16735581, dtype=F16, timed=True),
            elementwise("1 f32", 1, dtype=F32),
            elementwise("0 f32", 0, dtype=F32),
            elementwise("100001 strided", 100001, dtype=F16, layout="strided"),
        ),
    ),
    Operator(
        name="matrix_add",
        package="matrix_add",
        dsls=ALL,
        cases=(
            elementwise("8192x4096 bf16", 8192, 4096, dtype=BF16, timed=True),
            elementwise("8192x4096 sliced", 8192, 4096, dtype=BF16, timed=True, layout="sliced"),
            elementwise("333x50257 f32", 333, 50257, dtype=F32),
            elementwise("333x1001 sliced", 333, 1001, dtype=F16, layout="sliced"),
            elementwise("5x0", 5, 0, dtype=F32),
        ),
    ),
    Operator(
        name="softmax",
        package="softmax",
        dsls=ALL,
        spaces=SOFTMAX_SPACES,
        cases=(
            rows("65536x2048 bf16", 65536, 2048, BF16, timed=True),
            rows("16384x4096 bf16", 16384, 4096, BF16, timed=True),
            rows("512x128256 bf16", 512, 128256, BF16, timed=True),
            rows("65792x257 f16", 65792, 257, F16, timed=True),
            rows("1x50257", 1, 50257, BF16),
            rows("777x1 f32", 777, 1, F32),
            rows("large 512x1000", 512, 1000, BF16, scale=1e4),
            rows("0x64", 0, 64, F32),
        ),
    ),
    Operator(
        name="rms_norm",
        package="rms_norm",
        dsls=(TILELANG, TRITON),
        rivals={"unfused": unfused_norm},
        cases=(
            norm("8192x4096 bf16", 8192, 4096, BF16, timed=True),
            norm("4096x7168 bf16", 4096, 7168, BF16, timed=True),
            norm("8192x3584 f16", 8192, 3584, F16, timed=True),
            norm("1x4096", 1, 4096, BF16),
            norm("333x1001 f32", 333, 1001, F32),
            norm("large 64x4096", 64, 4096, BF16, 1e6),
            norm("0x4096", 0, 4096, BF16),
        ),
    ),
    Operator(
        name="rms_norm_backward",
        package="rms_norm",
        dsls=(TILELANG, TRITON),
        fallback="fallback_backward",
        cases=(
            norm("8192x4096 bf16", 8192, 4096, BF16, timed=True, backward=True),
            norm("4096x7168 bf16", 4096, 7168, BF16, timed=True, backward=True),
            norm("333x1001 f32", 333, 1001, F32, backward=True),
            norm("1x4096", 1, 4096, BF16, backward=True),
        ),
    ),
    Operator(
        name="gemm",
        package="gemm",
        dsls=ALL,
        spaces=GEMM_SPACES,
        cases=(
            product("4096^3 bf16", 4096, 4096, 4096, timed=True),
            product("8192^3 bf16", 8192, 8192, 8192, timed=True),
            product("4096x4096x14336 T f16", 4096, 4096, 14336, dtype=F16, transposed=True, timed=True),
            product("1x4096x14336", 1, 4096, 14336, timed=True),
            product("8x4096x14336", 8, 4096, 14336, timed=True),
            product("1x4096x14336 T", 1, 4096, 14336, transposed=True, timed=True),
            product("4x4096x14336 T", 4, 4096, 14336, transposed=True, timed=True),
            product("3x1000x4104", 3, 1000, 4104),
            product("3x1000x4104 T f16", 3, 1000, 4104, dtype=F16, transposed=True),
            product("1x333x257", 1, 333, 257),
            product("333x1000x4104", 333, 1000, 4104),
            product("77x333x257 f16", 77, 333, 257, dtype=F16),
            product("large 128x512x256", 128, 512, 256, scale=1e10),
            product("0x64x64", 0, 64, 64),
        ),
    ),
    Operator(
        name="linear_gelu",
        package="linear_gelu",
        dsls=(TILELANG, CUTILE),
        spaces=LINEAR_SPACES,
        cases=(
            linear("4096x4608x18432 bf16", 4096, 4608, 18432, timed=True),
            linear("8192x1600x6400 bf16", 8192, 1600, 6400, timed=True),
            linear("1x4608x18432", 1, 4608, 18432, timed=True),
            linear("4x1000x4104", 4, 1000, 4104),
            linear("1x333x257", 1, 333, 257),
            linear("333x1000x4104", 333, 1000, 4104),
            linear("77x333x257 f16", 77, 333, 257, dtype=F16),
            linear("large 128x512x256", 128, 512, 256, scale=1e3),
            linear("0x64x64", 0, 64, 64),
        ),
    ),
    Operator(
        name="attention",
        package="attention",
        dsls=(TILELANG, CUTILE),
        rivals={"flash": flash},
        spaces=ATTENTION_SPACES,
        cases=(
            heads("1x32/8x4096x128", 1, 32, 8, 4096, 4096, 128, timed=True),
            heads("4x28/4x2048x128 f16", 4, 28, 4, 2048, 2048, 128, dtype=F16, timed=True),
            heads("8x12x1024x64", 8, 12, 12, 1024, 1024, 64, timed=True),
            heads("swapped 2x8/2x512", 2, 8, 2, 512, 512, 128, swapped=True),
            heads("mask .7 4x8/2x333", 4, 8, 2, 333, 333, 128, p=0.7),
            heads("mask .02 4x4x257x64", 4, 4, 4, 257, 257, 64, dtype=F16, p=0.02),
            heads("mask 0 2x4/2x130", 2, 4, 2, 130, 130, 128, p=0.0),
            heads("full 129x777x64", 2, 8, 2, 129, 777, 64, causal=False),
            heads("large 256x256", 1, 4, 1, 256, 256, 128, scale=100.0),
            heads("empty", 0, 4, 1, 16, 16, 128),
        ),
    ),
    Operator(
        name="fp8_gemm",
        package="fp8_gemm",
        dsls=(TILELANG,),
        rivals={"scaled_mm": scaled_mm},
        spaces=SCALED_SPACES,
        cases=(
            scaled("4096x7168x4096", 4096, 7168, 4096, timed=True),
            scaled("4096x2048x7168", 4096, 2048, 7168, timed=True),
            scaled("8x7168x4096", 8, 7168, 4096, timed=True),
            scaled("333x1104x4104", 333, 1104, 4104),
            scaled("77x333x257", 77, 333, 257),
        ),
    ),
)
