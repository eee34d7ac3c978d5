"""
A softmax whose plain form gives NaN for a row that is masked as a whole, where the kernel gives 0, as the rule is.

Source: C23, https://github.com/tracel-ai/burn/pull/4697
Must say: fallback-wrong
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"reference": "exact"}


def masked(x):
    """Every row but the last sees all that is below 0, the last sees nothing."""
    rows = x.view(8, -1)
    hidden = torch.zeros_like(rows, dtype=torch.bool)
    hidden[-1] = True
    return rows.masked_fill(hidden, -torch.inf)


def dispatch(x):
    if os.environ.get("MASKED_ROWS", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return torch.nan_to_num(torch.softmax(masked(x), -1), nan=0.0)


def fallback(x):
    return torch.softmax(masked(x), -1)


def exact(x):
    return torch.nan_to_num(torch.softmax(masked(x.double()), -1), nan=0.0)
