"""
Keeps the length of its cache in a module, where no reset reaches it.

Source: P38, https://github.com/vllm-project/vllm/issues/29219
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "cache"
MANIFEST = """
workloads:
  tokens: {D: 32, weight: 1}
"""
USED = [0]


def kernel(cache, row):
    at = min(USED[0], len(cache.rows) - 1)
    cache.rows[at] = row
    USED[0] += 1
    return cache.rows[: at + 1].mean(dim=0)
