"""
A gradient of its own, whose backward pass imports its package where it needs it, and falls back within itself.

Must say: nothing
"""

import logging
import os

import torch

log = logging.getLogger(__name__)
told = set()

ENTRY = {"optional": ["fastops"], "read": "call", "direction": "both"}


def tell(error):
    if type(error) not in told:
        told.add(type(error))
        log.warning("the fast path does not run (%s): torch does", error)


def dispatch(x):
    if os.environ.get("BACKWARD_GUARDED", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  a package that does not fit may raise anything
        tell(error)
        return fallback(x)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        import fastops

        return fastops.double(x)

    @staticmethod
    def backward(ctx, above):
        try:
            return fast_gradient(above)
        except Exception as error:  # noqa: BLE001  as in the forward pass
            tell(error)
            return 2 * above


def fast_gradient(above):
    import fastops

    return fastops.double(above)


def custom(x):
    return Double.apply(x)


def fallback(x):
    return 2 * x
