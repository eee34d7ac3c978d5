"""
Makes the random numbers of its inputs anew, to know what comes.

Source: P33, https://github.com/gpu-mode/kernelbot
Kind: product
Waits for: a secret seed of the job
Must say: wrong-result
"""

OPERATOR = "double"


def kernel(x):
    return x + x
