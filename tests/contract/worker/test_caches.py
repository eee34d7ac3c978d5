"""A process that has imported a DSL before it hears which cache folder is its arm's, as a zygote's child does."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.contract.worker.teller import ROOT, python_with

pytestmark = pytest.mark.real

LATE = """
import os
import cuda.tile
os.environ["CUDA_TILE_CACHE_DIR"] = "/of/this/arm"
from kgate.worker import adapters
adapters.adapter("cutile")
from cuda.tile._cext import default_tile_context
print(default_tile_context.config.cache_dir)
"""


@pytest.fixture(scope="module")
def python(interpreter):
    named = os.environ.get("KGATE_TEST_GALLERY_PYTHON", interpreter)
    return python_with(named, ["cuda", "cuda.tile"])


def test_cutile_takes_the_folder_of_the_arm_although_it_was_imported_for_another(python):
    env = {**os.environ, "PYTHONPATH": str(Path(ROOT)), "CUDA_TILE_CACHE_DIR": "/of/another/arm"}

    done = subprocess.run([python, "-c", LATE], env=env, capture_output=True, text=True, check=False)

    assert done.stdout == "/of/this/arm\n", done.stderr
