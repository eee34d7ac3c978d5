"""Tests that need a GPU are listed as not run where there is none, never left out in silence."""

import os

import pytest

DEVICE = os.environ.get("KGATE_TEST_DEVICE", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if DEVICE.startswith("cuda"):
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="not run: needs a CUDA GPU; set KGATE_TEST_DEVICE=cuda:0 on one"))
