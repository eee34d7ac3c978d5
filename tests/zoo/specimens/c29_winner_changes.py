"""
An autotuner that picks another of many equal configurations in every process; they add up in another order.

Source: C29, https://github.com/vllm-project/vllm/pull/42425
Kind: timing
Must say: nondeterministic
"""

import os

OPERATOR = "row_sum"
MANIFEST = """
deterministic: true
workloads:
  wide: {R: 64, C: 96, weight: 1}
"""


# As many orders as a tuner has configurations that are equally fast.
CHOSEN = int.from_bytes(os.urandom(2), "big") % 96


def kernel(x):
    columns = x.roll(CHOSEN, dims=1).unbind(dim=1)
    total = columns[0].clone()
    for column in columns[1:]:
        total += column
    return total
