"""Cases of benchmarks/gallery.py: how the inputs of each operator are drawn, and what one call costs."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

BF16, F16, F32, E4M3 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn
TILELANG, CUTILE, TRITON = "tilelang", "cutile", "triton"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One set of inputs. `moved_bytes` and `flops` of one call; one that is not `timed` is only checked."""

    name: str
    inputs: Callable[[], tuple[Any, ...]]
    timed: bool = False
    flops: float = 0.0
    moved_bytes: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Space:
    """Schedules that --tune tries for kernels of one DSL, on the case of this place in the operator's list."""

    dsl: str
    plans: tuple[dict[str, Any], ...]
    case: int = 0


@dataclass(frozen=True, kw_only=True)
class Operator:
    """`rivals` are timed beside the fallback, by name; `spaces` are what --tune tries."""

    name: str
    package: str
    dsls: tuple[str, ...]
    cases: tuple[Case, ...]
    fallback: str = "fallback"
    rivals: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    spaces: tuple[Space, ...] = ()

    def path(self, dsl: str) -> Callable[..., Any]:
        return getattr(self.kernels(dsl), self.name)

    def kernels(self, dsl: str) -> Any:
        return importlib.import_module(f"gallery.{self.package}.{dsl}_")

    def torch_path(self) -> Callable[..., Any]:
        return getattr(importlib.import_module(f"gallery.{self.package}"), self.fallback)


def normal(*shape: int, dtype: torch.dtype = BF16, scale: float = 1.0) -> torch.Tensor:
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def sliced(*shape: int, dtype: torch.dtype = BF16) -> torch.Tensor:
    """Rows that lie in a buffer twice as wide."""
    return normal(*shape[:-1], 2 * shape[-1], dtype=dtype)[..., : shape[-1]]


def strided(*shape: int, dtype: torch.dtype = BF16) -> torch.Tensor:
    """Every second element of a buffer."""
    return normal(*shape[:-1], 2 * shape[-1], dtype=dtype)[..., ::2]


def elementwise(name: str, *shape: int, dtype: torch.dtype, timed: bool = False, layout: str = "") -> Case:
    make = {"": normal, "sliced": sliced, "strided": strided}[layout]
    count = torch.Size(shape).numel()
    return Case(
        name=name,
        inputs=lambda: (make(*shape, dtype=dtype), normal(*shape, dtype=dtype)),
        timed=timed,
        flops=count,
        moved_bytes=3 * dtype.itemsize * count,
    )


def rows(name: str, r: int, c: int, dtype: torch.dtype, scale: float = 8.0, timed: bool = False) -> Case:
    return Case(
        name=name,
        inputs=lambda: (normal(r, c, dtype=dtype, scale=scale),),
        timed=timed,
        flops=5.0 * r * c,
        moved_bytes=2.0 * dtype.itemsize * r * c,
    )


def norm(name: str, r: int, c: int, dtype: torch.dtype, scale: float = 1.0, *, timed=False, backward=False) -> Case:
    weight = lambda: normal(c, dtype=dtype, scale=0.1) + 1  # noqa: E731
    x = lambda: normal(r, c, dtype=dtype, scale=scale)  # noqa: E731
    return Case(
        name=name,
        inputs=lambda: (normal(r, c, dtype=dtype), x(), weight(), 1e-5) if backward else (x(), weight(), 1e-5),
        timed=timed,
        flops=(11.0 if backward else 4.0) * r * c,
        moved_bytes=(3.0 if backward else 2.0) * dtype.itemsize * r * c,
    )


def product(name: str, m: int, k: int, n: int, *, dtype=BF16, transposed=False, timed=False, scale=1.0) -> Case:
    def inputs():
        b = normal(n, k, dtype=dtype, scale=0.02).t() if transposed else normal(k, n, dtype=dtype, scale=0.02)
        return normal(m, k, dtype=dtype, scale=scale), b

    return Case(name=name, inputs=inputs, timed=timed, flops=2.0 * m * k * n, moved_bytes=2.0 * (m * k + k * n + m * n))


def linear(name: str, m: int, k: int, n: int, *, dtype=BF16, timed=False, scale=1.0) -> Case:
    def inputs():
        return normal(m, k, dtype=dtype, scale=scale), normal(n, k, dtype=dtype, scale=0.02), normal(n, dtype=dtype)

    return Case(name=name, inputs=inputs, timed=timed, flops=2.0 * m * k * n, moved_bytes=2.0 * (m * k + k * n + m * n))


def heads(name, b, h, g, s, t, e, *, dtype=BF16, p=None, causal=True, swapped=False, scale=1.0, timed=False) -> Case:
    """p: share of keys that take part, None for no mask; swapped: views of [batch, token, head, depth]."""

    def of(heads: int, tokens: int, factor: float = 1.0) -> torch.Tensor:
        if swapped:
            return normal(b, tokens, heads, e, dtype=dtype, scale=factor).transpose(1, 2)
        return normal(b, heads, tokens, e, dtype=dtype, scale=factor)

    def inputs():
        mask = None if p is None else torch.rand(b, t, device="cuda") < p
        return of(h, s, scale), of(g, t), of(g, t), mask, causal

    flops = (2.0 if causal else 4.0) * b * h * s * t * e
    return Case(name=name, inputs=inputs, timed=timed, flops=flops, moved_bytes=4.0 * b * e * (h * s + g * t))


def scaled(name: str, m: int, k: int, n: int, *, timed: bool = False) -> Case:
    blocks, columns = -(-k // 128), -(-n // 128)

    def inputs():
        scale = torch.rand(blocks, m, device="cuda").mul(0.009).add(0.001).t()
        return (
            normal(m, k, dtype=E4M3, scale=32.0),
            scale,
            normal(n, k, dtype=E4M3, scale=32.0),
            torch.rand(columns, blocks, device="cuda").mul(0.0009).add(0.0001),
        )

    return Case(name=name, inputs=inputs, timed=timed, flops=2.0 * m * k * n, moved_bytes=m * k + k * n + 2.0 * m * n)
