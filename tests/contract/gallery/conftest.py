"""
The gallery on a machine without a GPU: fallbacks and CPU schedules run, some kernels are compiled and looked into.

What imports torch or a DSL runs under the kernels' interpreter, as `make test` starts it; test_manifest.py and
tests/contract/check/test_gallery.py run under the gate's. A module whose packages an interpreter lacks is listed as not
run, in one line.
"""

import importlib
import os
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3] / "examples" / "gallery"
DISPATCH = Path(__file__).resolve().parents[3] / "dispatch"

for folder in (str(ROOT), str(DISPATCH)):
    if folder not in sys.path:
        sys.path.insert(0, folder)


def wanted(package: str) -> ModuleType:
    """The package; without it, the module that asks at its top is not run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch and tvm, about their own future
            return importlib.import_module(package)
    except (ImportError, OSError) as error:
        pytest.skip(f"not run: {package} cannot be imported here ({error})", allow_module_level=True)


@pytest.fixture(scope="session")
def cuda_home() -> Path:
    """A CUDA toolkit with nvcc and headers: CUDA_HOME, or the one that pip installs."""
    places = [Path(os.environ["CUDA_HOME"])] if "CUDA_HOME" in os.environ else []
    places += [Path(path) / "nvidia" / "cu13" for path in sys.path if path]
    for place in places:
        if (place / "bin" / "nvcc").is_file() and (place / "include" / "cuda_runtime.h").is_file():
            return place
    pytest.skip(
        "not run: nvcc and its headers are not here (pip: nvidia-cuda-nvcc, nvidia-cuda-runtime, nvidia-cuda-cccl)"
    )


@pytest.fixture
def undecided():
    """Whatever dispatchers have found out is forgotten, before the test and after it; calling it forgets once more."""
    import kgate_dispatch
    from gallery import gemm

    def forget():
        kgate_dispatch.reset()
        gemm.found.cache_clear()

    forget()
    yield forget
    forget()
