"""
The kernels and their workloads. Outputs stay below 32 MiB a case, so that what is measured is the gate, and not the
comparison of gigabytes; calls take 3 µs to 0.3 ms on an H200.
"""

from collections.abc import Mapping
from dataclasses import dataclass

GALLERY = "from gallery.{}.{}_ import {} as call"


@dataclass(frozen=True, kw_only=True)
class Family:
    """
    One operator. `args`: its parameters and their shapes as the manifest has them; `workloads`: by name, the symbols.
    `custom`: by kernel, its DSL and the body of a function of these parameters, statements before the result apart.
    """

    args: Mapping[str, str]
    fallback: str
    custom: Mapping[str, tuple[str, str]]
    workloads: Mapping[str, Mapping[str, int | str]]
    small: Mapping[str, Mapping[str, int | str]]  # for two cores


def gallery(operator: str, dsl: str, name: str, arguments: str) -> tuple[str, str]:
    return dsl, f"{GALLERY.format(operator, dsl, name)}; return call({arguments})"


BF16, F32 = "bfloat16", "float32"

ADD = Family(
    args={"x": "[N]", "y": "[N]"},
    fallback="return torch.add(x, y)",
    custom={
        "add_triton": gallery("vector_add", "triton", "vector_add", "x, y"),
        "add_tilelang": gallery("vector_add", "tilelang", "vector_add", "x, y"),
        "add_torch": ("torch", "return x + y"),
        "add_torch_out": ("torch", "return torch.add(x, y, out=torch.empty_like(x))"),
    },
    workloads={
        "n256k": {"N": 1 << 18, "D": F32},
        "n1m": {"N": 1 << 20, "D": F32},
        "n4m": {"N": 1 << 22, "D": BF16},
        "n8m": {"N": 1 << 23, "D": BF16},
        "n16m": {"N": 1 << 24, "D": BF16},
    },
    small={"n4k": {"N": 1 << 12, "D": F32}, "n64k": {"N": 1 << 16, "D": F32}},
)
SOFTMAX = Family(
    args={"x": "[R, C]"},
    fallback="return torch.softmax(x, dim=-1)",
    custom={
        "softmax_triton": gallery("softmax", "triton", "softmax", "x"),
        "softmax_tilelang": gallery("softmax", "tilelang", "softmax", "x"),
        "softmax_torch": ("torch", "return x.softmax(-1)"),
        "softmax_torch_exp": (
            "torch",
            "powers = (x - x.amax(-1, keepdim=True)).float().exp(); "
            "return (powers / powers.sum(-1, keepdim=True)).to(x.dtype)",
        ),
    },
    workloads={
        "r4096c1024": {"R": 4096, "C": 1024, "D": BF16},
        "r16384c512": {"R": 16384, "C": 512, "D": BF16},
        "r8192c2048": {"R": 8192, "C": 2048, "D": BF16},
        "r4096c4096": {"R": 4096, "C": 4096, "D": BF16},
        "r512c32768": {"R": 512, "C": 32768, "D": BF16},
    },
    small={"r64c128": {"R": 64, "C": 128, "D": F32}, "r128c512": {"R": 128, "C": 512, "D": F32}},
)
GEMM = Family(
    args={"a": "[M, K]", "b": "[K, N]"},
    fallback="return torch.matmul(a, b)",
    custom={
        "gemm_triton": gallery("gemm", "triton", "gemm", "a, b"),
        "gemm_tilelang": gallery("gemm", "tilelang", "gemm", "a, b"),
        "gemm_torch": ("torch", "return a @ b"),
        "gemm_torch_linear": ("torch", "return torch.nn.functional.linear(a, b.t())"),
    },
    workloads={
        "m1024": {"M": 1024, "K": 1024, "N": 1024, "D": BF16},
        "m2048": {"M": 2048, "K": 2048, "N": 2048, "D": BF16},
        "m512": {"M": 512, "K": 4096, "N": 4096, "D": BF16},
        "m4096k1024": {"M": 4096, "K": 1024, "N": 4096, "D": BF16},
        "m4096k4096": {"M": 4096, "K": 4096, "N": 4096, "D": BF16},
    },
    small={"m32": {"M": 32, "K": 32, "N": 32, "D": F32}, "m128": {"M": 128, "K": 128, "N": 128, "D": F32}},
)
NORM = Family(
    args={"x": "[R, C]", "weight": "[C]", "eps": "1.0e-5"},
    fallback="return torch.nn.functional.rms_norm(x, weight.shape, weight, eps)",
    custom={
        "norm_triton": gallery("rms_norm", "triton", "rms_norm", "x, weight, eps"),
        "norm_tilelang": gallery("rms_norm", "tilelang", "rms_norm", "x, weight, eps"),
        "norm_torch": ("torch", "return torch.rms_norm(x, weight.shape, weight, eps)"),
        "norm_torch_steps": (
            "torch",
            "wide = x.float(); scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps); "
            "return (wide * scale * weight.float()).to(x.dtype)",
        ),
    },
    workloads={
        "r4096c1024": {"R": 4096, "C": 1024, "D": BF16},
        "r2048c8192": {"R": 2048, "C": 8192, "D": BF16},
        "r16384c1024": {"R": 16384, "C": 1024, "D": BF16},
        "r4096c4096": {"R": 4096, "C": 4096, "D": BF16},
        "r8192c2048": {"R": 8192, "C": 2048, "D": BF16},
    },
    small={"r16c128": {"R": 16, "C": 128, "D": F32}, "r128c512": {"R": 128, "C": 512, "D": F32}},
)
SDPA = "torch.nn.functional.scaled_dot_product_attention"
ATTENTION = Family(
    args={"q": "[B, H, L, 128]", "k": "[B, H, L, 128]", "v": "[B, H, L, 128]"},
    fallback=f"return {SDPA}(q, k, v)",
    custom={
        "attention_tilelang": gallery("attention", "tilelang", "attention", "q, k, v, None, False"),
        "attention_tilelang_dense": gallery(
            "attention", "tilelang", "attention", "q.contiguous(), k.contiguous(), v.contiguous(), None, False"
        ),
        "attention_torch": ("torch", f"return {SDPA}(q, k, v)"),
        "attention_torch_scaled": ("torch", f"return {SDPA}(q, k, v, scale=q.shape[-1] ** -0.5)"),
    },
    workloads={
        "h16l512": {"B": 1, "H": 16, "L": 512, "D": BF16},
        "h32l512": {"B": 2, "H": 32, "L": 512, "D": BF16},
        "h16l1024": {"B": 1, "H": 16, "L": 1024, "D": BF16},
        "h32l1024": {"B": 1, "H": 32, "L": 1024, "D": BF16},
        "h16l2048": {"B": 1, "H": 16, "L": 2048, "D": BF16},
    },
    small={"h2l32": {"B": 1, "H": 2, "L": 32, "D": F32}, "h4l64": {"B": 1, "H": 4, "L": 64, "D": F32}},
)
FAMILIES = (ADD, SOFTMAX, GEMM, NORM, ATTENTION)
