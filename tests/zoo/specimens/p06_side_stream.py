"""
Works on a stream of its own that nobody waits for.

Source: P06,
    https://github.com/ScalingIntelligence/KernelBench/blob/main/src/kernelbench/unit_tests/test_eval_adversarial.py
Kind: kernel
Needs: gpu
Must say: wrong-result
"""

import torch

OPERATOR = "matmul"
MANIFEST = """
workloads:
  large: {M: 4096, K: 4096, N: 4096, D: float32, weight: 1}
"""


def kernel(a, b):
    out = torch.empty(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
    with torch.cuda.stream(torch.cuda.Stream(a.device)):
        torch.mm(a, b, out=out)
    return out
