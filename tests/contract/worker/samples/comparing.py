"""Comparisons as a user writes them."""

import torch


def same(outputs, expected, inputs):
    error = (outputs[0].double() - expected[0]).abs().max()
    return {"holds": bool(error < 1e-3), "error": error, "x": inputs["x"].sum()}


def asserting(outputs, expected, inputs):
    torch.testing.assert_close(outputs[0].double(), expected[0])
    return True


def anything(outputs, expected, inputs):
    outputs[0].zero_()
    expected[0].zero_()
    return torch.tensor(True)


def careless(outputs, expected, inputs):
    return {"holds": outputs[0].isfinite().all() and inputs["scale"]}


def silent(outputs, expected, inputs):
    return None
