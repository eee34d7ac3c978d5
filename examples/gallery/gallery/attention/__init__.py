"""Causal attention, forward: grouped query heads, and a mask of the keys that take part."""

import torch

from gallery.paths import HALVES, dispatched, named, suits

VARIABLE = "GALLERY_ATTENTION"
KERNELS = {"tilelang": {"cuda": HALVES}, "cutile": {"cuda": HALVES}}
DEPTHS = (64, 128)  # of a head, that the kernels are made for
FEW = 16  # queries a head below which most of a tile is idle


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None, causal: bool = True
) -> torch.Tensor:
    """
    q [batch, heads, queries, depth], k and v [batch, groups, keys, depth] of one dtype, groups dividing heads: query
    head h reads head h // (heads // groups) of k and v. Scores are scaled by 1 / √depth; the result is shaped as q.

    mask [batch, keys] is True where a key takes part. With `causal`, query i sees keys 0 to i. A query that sees no key
    gives 0. GALLERY_ATTENTION names the path.
    """
    return chosen(q, k, v, mask, causal)


def takes(dsl: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool) -> bool:
    # One query a head (against 1024 keys) on an H200, torch's time over theirs: in TileLang 0.45, whose tiles are of 64
    # queries and more; cuTile's are, too.
    slow = q.ndim == 4 and q.shape[2] < FEW and not named(VARIABLE, dsl)
    return not slow and suits(KERNELS[dsl], q, k, v) and fits(q, k, v, mask)


@dispatched(VARIABLE, KERNELS, "gallery.attention.{}_:attention", takes)
def chosen(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool) -> torch.Tensor:
    """With every argument given, as the kernels take them."""
    return fallback(q, k, v, mask, causal)


def fits(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None) -> bool:
    if not q.ndim == k.ndim == v.ndim == 4 or k.shape != v.shape or q.shape[-1] not in DEPTHS:
        return False
    if mask is not None and (mask.shape != (k.shape[0], k.shape[2]) or mask.dtype != torch.bool):
        return False
    return q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3] and k.shape[1] > 0 and q.shape[1] % k.shape[1] == 0


def fallback(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None, causal: bool = True
) -> torch.Tensor:
    if q.numel() == 0 or k.shape[2] == 0:
        return torch.zeros_like(q)  # for no sequence at all, cuDNN's attention would return None
    seen = None
    if mask is not None:
        seen = mask[:, None, None, :].expand(-1, 1, q.shape[2], -1)
        if causal:
            seen = seen & torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril()
    grouped = q.shape[1] != k.shape[1]
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=seen, is_causal=causal and mask is None, enable_gqa=grouped
    )
    if seen is None:
        return out
    # On a GPU, torch gives a query that sees no key the mean of all values, and 0 on a CPU (seen with torch 2.11).
    return out.masked_fill(~seen.any(dim=-1, keepdim=True), 0)
