"""
Its set-up fails at once, which is the fastest of all answers.

Source: P46, https://github.com/tracel-ai/cubek/pull/611
Kind: runner
Must say: does-not-run
"""

OPERATOR = "double"


raise RuntimeError("no such architecture")


def kernel(x):
    return x + x
