"""
Catches what its backward pass raises, tells nobody, and then returns what came in as the gradient.

Must say: fallback-wrong (backward-raises), fallback-silent (backward-raises), fallback-wrong (package-breaks-backward),
    fallback-silent (package-breaks-backward)
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fastops"], "direction": "both"}


def dispatch(x):
    if os.environ.get("BACKWARD_SLOPPY", "1") != "1":
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
        try:
            return fast_gradient(above)
        except Exception:  # noqa: BLE001  on purpose
            return above


def fast_gradient(above):
    import fastops

    return fastops.double(above)


def custom(x):
    return Double.apply(x)


def fallback(x):
    return 2 * x
