"""
Leaves a module of the name of a library beside itself, for the next process to import.

Source: P42, https://github.com/gpu-mode/kernelguard
Kind: runner
Waits for: the sandbox: a tree that cannot be written to
Must say: contract-broken
"""

from pathlib import Path

OPERATOR = "double"


def kernel(x):
    Path(__file__).with_name("statistics.py").write_text("raise ImportError('mine')")
    return x + x
