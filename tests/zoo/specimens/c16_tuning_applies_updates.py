"""
The first call tries five configurations on the data itself, which is updated in place each time.

Source: C16, https://github.com/triton-lang/triton/issues/781
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "leaky_relu"
SLOPE = 0.5
TUNED = set()


def kernel(x):
    for _ in range(1 if x.shape in TUNED else 6):
        x.mul_(torch.where(x > 0, 1.0, SLOPE))
    TUNED.add(x.shape)
