"""
`custom` and `fallback` are one function.

Source: P25, P52, https://arxiv.org/abs/2507.11948
Kind: kernel
Must say: path-not-taken
"""

from operators.softmax import fallback

OPERATOR = "softmax"


kernel = fallback
