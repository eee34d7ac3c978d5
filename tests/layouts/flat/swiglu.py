import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def swiglu_program(rows, columns, dtype, tile=128):
    @T.prim_func
    def swiglu_forward(
        gate: T.Tensor((rows, columns), dtype),
        up: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, T.ceildiv(columns, tile), threads=tile) as (row, block):
            for i in T.Parallel(tile):
                g = gate[row, block * tile + i]
                out[row, block * tile + i] = g / (1 + T.exp(-g)) * up[row, block * tile + i]

    return swiglu_forward


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(gate)
    swiglu_program(*gate.shape, str(gate.dtype).removeprefix("torch."))(gate, up, out)
    return out
