"""
An autotuner that picks another of two equal configurations in every process; they add up in another order.

Source: C29, https://github.com/vllm-project/vllm/pull/42425
Kind: timing
Missed: no call is repeated in a fresh process
Must say: nondeterministic
"""

import os

OPERATOR = "row_sum"
MANIFEST = """
deterministic: true
workloads:
  wide: {R: 64, C: 96, weight: 1}
"""


def forward(x):
    return x.sum(dim=-1)


def backward(x):
    total = x[:, -1].clone()
    for column in reversed(range(x.shape[1] - 1)):
        total += x[:, column]
    return total


CHOSEN = (forward, backward)[os.getpid() % 2]


def kernel(x):
    return CHOSEN(x)
