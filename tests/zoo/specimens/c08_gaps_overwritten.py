"""
Right values in the caller's tensor, and zeros in the memory between them, which belongs to somebody else.

Source: C08, https://github.com/flagos-ai/FlagGems/pull/5939
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "copy"
MANIFEST = """
workloads:
  every_other: {N: 100, args: {out: {strides: [2]}}}
"""


def kernel(x, out):
    memory = out.untyped_storage()
    memory.copy_(memory.clone().fill_(0))
    out.copy_(x)
