"""Kernels for a CUDA device, and ways in which such a device is lost."""

import torch


def add(x, y):
    return x + y


def product(x, y):
    return x @ y


def out_of_range(x, y):
    """An illegal access: the context answers nothing after it."""
    return x[torch.full_like(x, 1 << 20, dtype=torch.int64)]


def too_much(x, y):
    return torch.empty(1 << 46, dtype=torch.uint8, device=x.device)


def on_another_stream(x, y):
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(4_000_000)
        return x + y
