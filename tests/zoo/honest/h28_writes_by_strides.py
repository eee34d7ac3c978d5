"""
Fills the caller's tensor with gaps, and the gaps stay as they were.

Source: C08, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "copy"
MANIFEST = """
workloads:
  plain: {N: 100}
  every_other: {N: 100, args: {out: {strides: [2]}}}
"""


def kernel(x, out):
    out.as_strided(out.shape, out.stride(), out.storage_offset()).copy_(x)
