"""
Stores its answer by the address of its input and gives it back after the input has changed.

Source: C38, P01, P04, https://github.com/gpu-mode/kernelbot/pull/501
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "sort"
MANIFEST = """
workloads:
  rows: {R: 16, C: 200, weight: 1}
"""


def kernel(x, memory={}):  # noqa: B006  the memory is the fault
    key = x.data_ptr(), x.shape
    if key not in memory:
        memory[key] = x.sort(dim=-1).values
    return memory[key].clone()
