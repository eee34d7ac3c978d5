"""
Runs the gallery's Triton kernels in Triton's interpreter, on the CPU, and prints a line of JSON per case.

A script of its own, because TRITON_INTERPRET=1 has to be set before the kernels are imported: `python interpreted.py`.
"error" and "torch" are the largest differences from the fallback in float64, of kernel and fallback, as shares of the
largest value; "step" is the dtype's; "nan" says whether both have NaN in the same places.
"""

import importlib
import json
import os
import sys
import types
import warnings
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path[:0] = [str(Path(__file__).resolve().parents[3] / folder) for folder in ("examples/gallery", "dispatch")]
warnings.simplefilter("ignore")  # of the interpreter, about NumPy's infinities

import torch  # noqa: E402

HALF, NONE = torch.bfloat16, -float("inf")


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape).to(dtype)


def masked(columns: int) -> torch.Tensor:
    """Three rows: one whose first half is masked out, one that is masked out whole, one that is not."""
    x = normal(3, columns)
    x[0, : columns // 2] = NONE
    x[1] = NONE
    return x


CASES = {
    # Not in bfloat16: the interpreter would add the bits of two of them as integers.
    "vector_add": lambda: (normal(5000, dtype=torch.float16), normal(5000, dtype=torch.float16)),
    "vector_add one": lambda: (normal(1), normal(1)),
    "vector_add strided": lambda: (normal(10001)[::2], normal(5001)),
    "vector_add empty": lambda: (normal(0), normal(0)),
    "matrix_add": lambda: (normal(4, 5), normal(4, 5)),
    "matrix_add slices": lambda: (normal(7, 3000)[:, 1:2500], normal(2499, 7).t()),
    "softmax": lambda: (normal(5, 257, dtype=HALF) * 10,),
    "softmax one column": lambda: (normal(3, 1),),
    "softmax transposed": lambda: (normal(300, 7).t(),),
    "softmax wide": lambda: (normal(2, 20000) * 1000,),
    "softmax masked": lambda: (masked(100),),
    "softmax wide masked": lambda: (masked(20000),),
    "rms_norm": lambda: (normal(5, 1001) * 1e3, normal(1001), 1e-5),
    "rms_norm strided": lambda: (normal(3, 2000)[:, ::2], normal(1000), 1e-6),
    "rms_norm_backward": lambda: (normal(50, 333), normal(50, 333), normal(333), 1e-5),
    "rms_norm_backward one row": lambda: (normal(1, 64), normal(1, 64), normal(64), 1e-5),
    "gemm": lambda: (normal(77, 333, dtype=torch.float16), normal(333, 257, dtype=torch.float16)),
    "gemm transposed": lambda: (normal(130, 64), normal(200, 64).t()),
    "gemm one row": lambda: (normal(1, 100), normal(100, 70)),
    "gemm empty": lambda: (normal(3, 0), normal(0, 4)),
}


def compared(name: str) -> dict[str, object]:
    function = name.split()[0]
    package = "rms_norm" if function.startswith("rms_norm") else function
    kernel = getattr(importlib.import_module(f"gallery.{package}.triton_"), function)
    suffix = "_backward" if function.endswith("_backward") else ""
    fallback = getattr(importlib.import_module(f"gallery.{package}"), f"fallback{suffix}")
    inputs = CASES[name]()
    found, expected = as_tuple(kernel(*inputs)), as_tuple(fallback(*inputs))
    truth = as_tuple(fallback(*(x.double() if isinstance(x, torch.Tensor) else x for x in inputs)))
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in expected], name
    return {
        "case": name,
        "error": max(distance(x, t) for x, t in zip(found, truth, strict=True)),
        "torch": max(distance(x, t) for x, t in zip(expected, truth, strict=True)),
        "step": max(torch.finfo(x.dtype).eps for x in expected),
        "nan": all(bool((x.isnan() == t.isnan()).all()) for x, t in zip(found, truth, strict=True)),
    }


def as_tuple(outputs: object) -> tuple[torch.Tensor, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


def distance(x: torch.Tensor, truth: torch.Tensor) -> float:
    if x.numel() == 0:
        return 0.0
    largest = truth.nan_to_num().abs().max().item()
    return (x.double() - truth).nan_to_num().abs().max().item() / (largest or 1.0)


if __name__ == "__main__":
    # What the wrappers ask of a GPU: its multiprocessors, and schedules whose tiles the interpreter does fast.
    torch.cuda.get_device_properties = lambda _: types.SimpleNamespace(multi_processor_count=3)
    importlib.import_module("gallery.gemm.triton_").capability = lambda _: 80
    torch.manual_seed(1)
    for case in CASES:
        print(json.dumps(compared(case)))
