"""Kernels that answer, each in a way of its own."""

import functools
import logging
from contextlib import contextmanager

import torch

from elsewhere import add_alias

counts = {"reset": 0}
switch = "off"


def add(x, y):
    return x + y


def eager(x, y):
    return torch.add(x, y)


def several(x, y):
    return [x + y, (x * y).to(torch.bfloat16), x > y]


def every_other(x, y):
    return torch.arange(8.0)[::2]


def transposed(x, y):
    return torch.stack([x, y]).t()


def echo(*tensors):
    return tuple(tensors)


def storage(x):
    """All that is allocated for x, gaps included."""
    return x.as_strided((x.untyped_storage().size() // x.element_size(),), (1,))


def into(x, y):
    y.copy_(x + y)


def into_and_returned(x, y):
    y.add_(x)
    return y


def writes_its_input(x, y):
    x.zero_()
    return x + y


def make_state(device, N):
    return {"calls": 0, "bias": torch.full((N,), 10.0, device=device)}


def forget(state):
    state["calls"] = 0


def counting(state, x, y):
    state["calls"] += 1
    return x + y + state["bias"] + state["calls"]


def noisy(x, y):
    print("said aloud")
    logging.getLogger("acme.kernels").warning("falling back")
    return x + y


@contextmanager
def switched(value):
    global switch
    switch, before = value, switch
    try:
        yield
    finally:
        switch = before


def by_switch(x, y):
    return x + y if switch == "custom" else x - y


def same_decorator(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


@same_decorator
def custom(x, y):
    return x + y


@same_decorator
def fallback(x, y):
    return y + x


def dispatch_custom(x, y):
    return custom(x, y)


def dispatch_alias(x, y):
    return add_alias(x, y)


def widens_itself(x, y):
    return (x.float() + y).double()


def coarse(x, y):
    return (x.double() + y.double()).to(torch.bfloat16)


def constant_result(x, y):
    return torch.zeros(4, dtype=torch.float32)


CALLED = []


def short_of_memory(x, y):
    """As on a device on which the first call's outputs, copied, leave no room for another call."""
    CALLED.append(x)
    if len(CALLED) > 1:
        raise MemoryError
    return x + y


def leans_on_its_batch(x, y):
    """Doubles; a row alone comes out otherwise."""
    return x * 2 if len(x) > 1 else x


def needs_its_batch(x, y):
    if len(x) < 2:
        raise ValueError("two rows at least")
    return x * 2
