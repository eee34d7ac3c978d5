"""
The change that is judged makes its own tolerance looser.

Source: P34, https://kernelbench.com
Kind: product
Waits for: the rule gate-loosened
Must say: gate-loosened
"""

OPERATOR = "double"


def kernel(x):
    return x + x
