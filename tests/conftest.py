"""Tests that need a GPU, or a night, are listed as not run where there is none, never left out in silence."""

import os

import pytest

DEVICE = os.environ.get("KGATE_TEST_DEVICE", "")
NOT_RUN = {
    "gpu": "" if DEVICE.startswith("cuda") else "needs a CUDA GPU; set KGATE_TEST_DEVICE=cuda:0 on one",
    "nightly": "" if "KGATE_NIGHTLY" in os.environ else "takes long; `make nightly` runs it",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker, reason in NOT_RUN.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"not run: {reason}"))
