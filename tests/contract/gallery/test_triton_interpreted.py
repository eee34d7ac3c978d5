"""The Triton kernels' arithmetic and bounds, run by Triton's interpreter where there is no GPU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.gallery.conftest import wanted

wanted("torch")
wanted("triton")
wanted("kgate_dispatch")

pytestmark = [pytest.mark.real]

SCRIPT = Path(__file__).with_name("interpreted.py")


@pytest.fixture(scope="module")
def lines():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_case_is_as_exact_as_torch_is(lines):
    assert len(lines) == 20
    for line in lines:
        # The interpreter cuts halves off where a GPU rounds: a whole step, where torch is half a one off.
        assert line["error"] <= max(2 * line["torch"], line["step"]), line


def test_rows_masked_out_whole_are_nan_where_torch_has_nan(lines):
    assert all(line["nan"] for line in lines)
