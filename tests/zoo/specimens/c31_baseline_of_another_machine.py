"""
A baseline that another machine wrote says that everything is slower.

Source: C31, https://github.com/o1-labs/proof-systems/pull/3593
Kind: timing
Waits for: a specimen that can bring a baseline file; tests/unit/test_baseline.py holds the rule meanwhile
Must say: no-baseline
"""

OPERATOR = "work"


def kernel(x):
    return x + x
