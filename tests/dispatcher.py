"""Where kgate_dispatch is, which the gallery needs and kgate does without."""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "dispatch"


def path() -> str:
    """For PYTHONPATH; without it, a test of the gallery is listed as not run."""
    if not (FOLDER / "kgate_dispatch").is_dir():
        pytest.skip("not run: kgate_dispatch, which the gallery needs, is not here", allow_module_level=True)
    return os.fspath(FOLDER)
