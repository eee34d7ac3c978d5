"""
Writes the caller's tensor as a dense run, where the manifest declares no other.

Source: C08, https://github.com/flagos-ai/FlagGems/pull/5939
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "copy"


def kernel(x, out):
    out.as_strided(out.shape, (1,)).copy_(x)
