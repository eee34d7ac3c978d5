"""
The gate's own kernels, timed beside the user's as controls of the instrument: nothing but a wait and a small pass.

On a GPU the length is the wait's, on a CPU the number of passes: it has no wait that a timer could be held against.
"""

from typing import Any

ELEMENTS = 4096  # float32, for kernels whose length is the wait's


def call(source: Any, cycles: int, passes: int) -> Any:
    """`cycles` of the GPU's clock, 0 for no wait; then `passes`, at least one, of source + 1."""
    import torch

    if cycles:
        torch.cuda._sleep(cycles)
    out = source + 1
    for _ in range(passes - 1):
        torch.add(source, 1, out=out)
    return out
