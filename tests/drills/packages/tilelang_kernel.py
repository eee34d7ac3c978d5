"""out = x + x, in TileLang for the CPU."""

import tilelang
import tilelang.language as T

N = 64


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def double():
    @T.prim_func
    def double_cpu(x: T.Tensor((N,), "float32"), out: T.Tensor((N,), "float32")):
        with T.Kernel(1):
            for i in T.serial(N):
                out[i] = x[i] + x[i]

    return double_cpu
