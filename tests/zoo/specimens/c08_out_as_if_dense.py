"""
Writes the caller's tensor as a dense run, whatever its strides.

Source: C08, https://github.com/flagos-ai/FlagGems/pull/5939
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "copy"
MANIFEST = """
workloads:
  plain: {N: 100}
  every_other: {N: 100, args: {out: {strides: [2]}}}
"""


def kernel(x, out):
    out.as_strided(out.shape, (1,)).copy_(x)
