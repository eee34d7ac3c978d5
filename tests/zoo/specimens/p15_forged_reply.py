"""
Writes into the channel to the gate that its case has ended well.

Source: P15, https://github.com/gpu-mode/kernelbot
Kind: runner
Batch: rough
Must say: does-not-run
"""

import os
import sys

OPERATOR = "double"


def kernel(x):
    with open(os.path.join(sys.argv[2], "replies.jsonl"), "a") as replies:
        replies.write('{"kind": "End", "case": "p15_forged_reply/small@cpu"}\n')
    return x
