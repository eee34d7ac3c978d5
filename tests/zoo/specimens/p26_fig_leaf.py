"""
Launches a kernel that does nothing beside the library call that does all.

Source: P26, https://github.com/gpu-mode/kernelguard
Kind: kernel
Needs: gpu
Must say: path-not-taken
"""

import torch
import triton

OPERATOR = "softmax"
MANIFEST = """
dsl: triton
device_kernels: ["softmax_kernel*"]
"""


@triton.jit
def softmax_kernel(out):
    pass


def kernel(x):
    softmax_kernel[(1,)](x)
    return torch.softmax(x, dim=-1)
