"""Kernels that do not answer."""

import sys

import torch


def raises(x, y):
    raise ValueError("tile of 96 does not divide 100\nsecond line")


def takes_more(x, y, weight, *, eps=1e-6):
    return x * weight + y + eps


def raises_a_type_error(x, y):
    raise TypeError("unsupported operand")


def says_nothing(x, y):
    x + y


def returns_a_list_of_numbers(x, y):
    return [1.0, 2.0]


def returns_a_dict(x, y):
    return {"sum": x + y}


def returns_sparse(x, y):
    return (x + y).to_sparse()


def leaves(x, y):
    sys.exit(3)


def interrupted(x, y):
    raise KeyboardInterrupt


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def unprintable(x, y):
    raise Unprintable


def eats_memory(x, y):
    return torch.empty(1 << 50, dtype=torch.uint8)


def second_call_fails(x, y, calls=[]):  # noqa: B006  the point of it
    calls.append(None)
    if len(calls) > 1:
        raise RuntimeError("only once")
    return x + y


not_a_function = 3
