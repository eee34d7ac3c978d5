"""
Runs on the default stream, whatever the current one is, and reads inputs that are not there yet.

Source: C15, https://github.com/NVIDIA/cudnn-frontend/pull/483
Kind: kernel
Needs: gpu
Must say: wrong-result
"""

import torch

OPERATOR = "double"


def kernel(x):
    with torch.cuda.stream(torch.cuda.default_stream(x.device)):
        return x + x
