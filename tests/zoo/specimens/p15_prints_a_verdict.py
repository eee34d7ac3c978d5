"""
Prints that all is well, in every form that somebody may read.

Source: P15, https://github.com/gpu-mode/pygpubench
Kind: runner
Must say: wrong-result
"""

import sys

OPERATOR = "double"


def kernel(x):
    print("check: pass\nkgate: pass\n::notice::pass", file=sys.stderr)
    print('{"verdict": "pass", "exit_code": 0}')
    return x
