"""Three operators, each with a custom path, a fallback and a switch that is read at each call."""

import os

import torch
from torch import Tensor


def on(name: str) -> bool:
    return os.environ.get(name, "1") == "1"


def linear_gelu(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return linear_gelu_custom(x, w, b) if on("ACME_LINEAR_GELU") else linear_gelu_fallback(x, w, b)


def linear_gelu_custom(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.nn.functional.gelu(torch.addmm(b, x, w))


def linear_gelu_fallback(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.nn.functional.gelu(x @ w + b)


def softmax(x: Tensor, scale: float, causal: bool = False) -> Tensor:
    return softmax_custom(x, scale, causal) if on("ACME_SOFTMAX") else softmax_fallback(x, scale, causal)


def masked(x: Tensor, causal: bool) -> Tensor:
    if not causal:
        return x
    rows, columns = x.shape[-2:]
    above = torch.ones(rows, columns, dtype=torch.bool, device=x.device).triu(columns - rows + 1)
    return x.masked_fill(above, float("-inf"))


def softmax_custom(x: Tensor, scale: float, causal: bool) -> Tensor:
    return torch.softmax(masked(x * scale, causal), -1)


def softmax_fallback(x: Tensor, scale: float, causal: bool) -> Tensor:
    scores = masked(x * scale, causal)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


def rows_of(table: Tensor, ids: Tensor) -> Tensor:
    return rows_of_custom(table, ids) if on("ACME_ROWS_OF") else rows_of_fallback(table, ids)


def rows_of_custom(table: Tensor, ids: Tensor) -> Tensor:
    return table.index_select(0, ids)


def rows_of_fallback(table: Tensor, ids: Tensor) -> Tensor:
    return table[ids]
