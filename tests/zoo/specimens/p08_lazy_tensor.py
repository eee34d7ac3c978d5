"""
Returns a subclass of Tensor that computes only when somebody looks at it.

Source: P08, https://github.com/gpu-mode/reference-kernels/pull/161
Kind: kernel
Must say: contract-broken
"""

import torch

OPERATOR = "double"


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            plain = [a.source * 2 if isinstance(a, Lazy) else a for a in args]
            return function(*plain, **(kwargs or {}))


def kernel(x):
    out = torch.empty_like(x).as_subclass(Lazy)
    out.source = x
    return out
