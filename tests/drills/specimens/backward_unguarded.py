"""
Knows a way out of its forward pass, and none out of its backward pass: training stops where inference went on.

Must say: fallback-raises (backward-raises), fallback-raises (package-breaks-backward)
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fastops"], "direction": "both"}


def dispatch(x):
    if os.environ.get("BACKWARD_UNGUARDED", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  a package that does not fit may raise anything
        log.warning("the fast path does not run (%s): torch does", error)
        return fallback(x)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        import fastops

        return fastops.double(x)

    @staticmethod
    def backward(ctx, above):
        import fastops

        return fastops.double(above)


def custom(x):
    return Double.apply(x)


def fallback(x):
    return 2 * x
