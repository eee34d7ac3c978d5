"""
Slower forms of the recorded kernels, for an arm of their own. This file lies beside the gallery in the arms' tree.

    …_and_pass      once more over the first `extra` elements of an input: a copy or a negation that somebody left in
    …_scheduled     another schedule: smaller tiles, fewer warps or stages, other threads
    …_part          the first `rows` of the rows by another schedule, the rest as ever

More work needs no function: it is the kernel itself on more rows, columns or elements.
"""

import torch


def once_more(x: torch.Tensor, extra: int) -> torch.Tensor:
    """A small kernel of its own."""
    return x.view(-1)[:extra].neg()


def triton_vector_add_and_pass(x: torch.Tensor, y: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    from gallery.vector_add import triton_

    return triton_.vector_add(x, y), once_more(x, extra)


def triton_vector_add_scheduled(x: torch.Tensor, y: torch.Tensor, block: int, warps: int) -> torch.Tensor:
    from gallery.vector_add import triton_

    out = torch.empty_like(x)
    grid = (-(-x.numel() // block),)
    triton_.vector_add_triton[grid](x, y, out, x.numel(), x.stride(0), y.stride(0), block, num_warps=warps)
    return out


def tilelang_vector_add_scheduled(x: torch.Tensor, y: torch.Tensor, threads: int, bytes_per_thread: int):
    from gallery.vector_add import tilelang_

    return tilelang_.on_cuda(tilelang_.dtype_name(x), threads, bytes_per_thread)(x, y)


def tilelang_softmax_and_pass(x: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    from gallery.softmax import tilelang_

    return tilelang_.softmax(x), once_more(x, extra)


def tilelang_softmax_part(x: torch.Tensor, rows: int, values_per_thread: int) -> tuple[torch.Tensor, ...]:
    from gallery.softmax import tilelang_

    other = tilelang_.on_cuda(x.shape[1], tilelang_.dtype_name(x), values_per_thread)
    return other(x[:rows]), *([tilelang_.softmax(x[rows:])] if rows < len(x) else [])


def triton_softmax_and_pass(x: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    from gallery.softmax import triton_

    return triton_.softmax(x), once_more(x, extra)


def triton_softmax_part(x: torch.Tensor, rows: int, warps: int) -> torch.Tensor:
    from gallery.softmax import triton_

    out = torch.empty_like(x)
    columns = x.shape[1]
    block = triton_.triton.next_power_of_2(columns)
    usual = max(1, min(32, block // (32 * triton_.VALUES_PER_THREAD)))
    for part, into, number in ((x[:rows], out[:rows], warps), (x[rows:], out[rows:], usual)):
        if len(part):
            triton_.softmax_triton[(len(part),)](part, into, columns, *part.stride(), block, num_warps=number)
    return out


def tilelang_rms_norm_and_pass(x: torch.Tensor, weight: torch.Tensor, eps: float, extra: int):
    from gallery.rms_norm import tilelang_

    return tilelang_.rms_norm(x, weight, eps), once_more(x, extra)


def triton_rms_norm_and_pass(x: torch.Tensor, weight: torch.Tensor, eps: float, extra: int):
    from gallery.rms_norm import triton_

    return triton_.rms_norm(x, weight, eps), once_more(x, extra)


def triton_rms_norm_part(x: torch.Tensor, weight: torch.Tensor, eps: float, rows: int, warps: int) -> torch.Tensor:
    from gallery.rms_norm import triton_

    out = torch.empty_like(x)
    columns = x.shape[1]
    block, usual = triton_.block_of(columns)
    for part, into, number in ((x[:rows], out[:rows], warps), (x[rows:], out[rows:], usual)):
        if len(part):
            arguments = (part, weight, into, columns, *part.stride(), eps, block)
            triton_.rms_norm_triton[(len(part),)](*arguments, num_warps=number)
    return out


def tilelang_gemm_and_pass(a: torch.Tensor, b: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    from gallery.gemm import tilelang_

    return tilelang_.gemm(a, b), once_more(a, extra)


def tilelang_gemm_scheduled(a: torch.Tensor, b: torch.Tensor, tile_n: int, tile_k: int, stages: int):
    from gallery.gemm import tilelang_

    plan = tilelang_.schedule(tilelang_.capability(a.device.index), len(a))
    plan = {**plan, "tile_n": tile_n, "tile_k": tile_k, "stages": stages}
    return tilelang_.on_cuda(*b.shape, tilelang_.dtype_name(a), False, **plan)(a, b)


def triton_gemm_and_pass(a: torch.Tensor, b: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    from gallery.gemm import triton_

    return triton_.gemm(a, b), once_more(a, extra)


def triton_gemm_scheduled(a: torch.Tensor, b: torch.Tensor, tile_n: int, stages: int, group: int) -> torch.Tensor:
    from gallery.gemm import triton_

    plan = triton_.schedule(triton_.capability(a.device.index), len(a))
    plan = {**plan, "TILE_N": tile_n, "num_stages": stages}
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    grid = (-(-m // plan["TILE_M"]) * -(-n // tile_n),)
    tiles = ((a, ("TILE_M", "TILE_K")), (b, ("TILE_K", "TILE_N")), (out, ("TILE_M", "TILE_N")))
    described = [triton_.TensorDescriptor.from_tensor(x, [plan[name] for name in names]) for x, names in tiles]
    triton_.gemm_triton_tma[grid](*described, m, n, k, False, GROUP=group, **plan)
    return out


def tilelang_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    from gallery.attention import tilelang_

    return tilelang_.attention(q, k, v, None, False)


def tilelang_attention_and_pass(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, extra: int):
    return tilelang_attention(q, k, v), once_more(q, extra)


def tilelang_attention_scheduled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tile_n: int, stages: int):
    from gallery.attention import tilelang_

    plan = {**tilelang_.schedule(tilelang_.capability(q.device.index)), "tile_n": tile_n, "stages": stages}
    heads, depth = q.shape[1], q.shape[3]
    kernel = tilelang_.on_cuda(heads, heads // k.shape[1], depth, tilelang_.dtype_name(q), False, False, **plan)
    return kernel(q, k, v)


def torch_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


def torch_add_and_pass(x: torch.Tensor, y: torch.Tensor, extra: int) -> tuple[torch.Tensor, ...]:
    return x + y, once_more(x, extra)


def torch_softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)
