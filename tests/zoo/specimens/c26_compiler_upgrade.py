"""
The same source is slower by 45 percent because the compiler below it is another.

Source: C26, https://github.com/vllm-project/vllm/issues/43153
Kind: timing
Waits for: baselines that two toolchains of one machine share: a fingerprint that can be set in a test
Must say: slower-than-baseline
"""

from operators.work import WORK_S, spin

OPERATOR = "work"


def kernel(x):
    spin(1.45 * WORK_S)
    return x + x
