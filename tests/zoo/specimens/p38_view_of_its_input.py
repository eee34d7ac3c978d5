"""
The answer is a view of the input where the fallback gives memory of its own.

Source: P38, https://github.com/vllm-project/vllm/issues/29219
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "gather"
MANIFEST = """
workloads:
  one: {V: 100, D: 64, N: 1}
"""


def kernel(table, index):
    if len(index) and bool((index == index[0] + index.new_ones(len(index)).cumsum(0) - 1).all()):
        return table[int(index[0]) : int(index[0]) + len(index)]
    return table[index]
