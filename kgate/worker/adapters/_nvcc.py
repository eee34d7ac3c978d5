"""nvcc: where it is, and the line of its output that says what is wrong."""

import os
import re
import shutil
import sys
from pathlib import Path

from kgate.worker.adapters._compilers import version_of

# `kernel.cu(3): error: …`, `ptxas error   : …`, `nvcc fatal   : …`, `bind.cpp:3:5: fatal error: …`
MESSAGE = re.compile(r"\b(?:error|fatal)\b[^:]{0,12}:")
FOLDER = re.compile(r"^\S*/")  # of the file that a message is about, which may be a temporary one
USUAL = Path("/usr/local/cuda")  # where torch and TileLang look last
PIP = "nvidia-cuda-nvcc, nvidia-cuda-runtime and nvidia-cuda-cccl"


def home() -> Path | None:
    """A CUDA toolkit with nvcc: of CUDA_HOME, of the nvcc on PATH, of the one that pip installs, or the usual."""
    named = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    on_path = shutil.which("nvcc")
    places = [Path(name) for name in named] or [
        *([Path(on_path).parents[1], Path(on_path).resolve().parents[1]] if on_path else []),
        *(path for folder in sys.path if folder for path in sorted(Path(folder, "nvidia").glob("cu[0-9]*"))),
        USUAL,
    ]
    return next((place for place in places if (place / "bin" / "nvcc").is_file()), None)


def version() -> str:
    """Such as "13.0.88"; "" where there is none."""
    place = home()
    return version_of(str(place / "bin" / "nvcc")) if place else ""


def missing(arch: str) -> str:
    return (
        f"{arch} is compiled for by nvcc, which is not here: set CUDA_HOME, put nvcc on PATH, or install {PIP} with pip"
    )


def first_error(output: str) -> str:
    """ "" of no output; without the folder of the file that it is about."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = next((line for line in lines if MESSAGE.search(line)), lines[0] if lines else "")
    return FOLDER.sub("", found)
