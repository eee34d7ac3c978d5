"""
Answers of operators and of their decompositions, to files: `python answers.py FOLDER DTYPE`, under torch's interpreter.

For every sample of torch's own operator database three answers: the operator's, its decomposition's (torch._refs), and
the operator's on inputs widened to float64. One line of JSON for each sample on stdout.
"""

import ctypes
import json
import sys
import types
import unittest
import warnings
from pathlib import Path

try:
    import expecttest  # noqa: F401
except ImportError:  # torch's test helpers import it for what is not used here
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = unittest.TestCase

import torch
from torch.testing._internal.common_methods_invocations import python_ref_db

SAMPLES = 6  # of each operator, evenly spread over what it has
MOST_BYTES = 1 << 20
WIDE = {torch.float32: torch.float64, torch.bfloat16: torch.float64, torch.float16: torch.float64}


def main(folder: Path, dtype: torch.dtype) -> None:
    warnings.simplefilter("ignore")
    for ref in python_ref_db:
        # The answer of the latter is memory that nobody wrote.
        if ref.torch_opinfo is None or not ref.supports_dtype(dtype, "cpu") or "empty" in ref.name:
            continue
        name = ref.name.removeprefix("_refs.") + (f"/{ref.variant_test_name}" if ref.variant_test_name else "")
        torch.manual_seed(0)
        try:
            samples = list(ref.torch_opinfo.sample_inputs("cpu", dtype))
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            tell(name, -1, problem=f"has no samples: {error}")
            continue
        chosen = samples[:: max(1, len(samples) // SAMPLES)][:SAMPLES]
        for number, sample in enumerate(chosen):
            one(folder, name, number, ref, sample, dtype)


def one(folder: Path, name: str, number: int, ref: object, sample: object, dtype: torch.dtype) -> None:
    wide = sample.transform(lambda x: x.to(WIDE[dtype]) if isinstance(x, torch.Tensor) and x.dtype == dtype else x)
    arms = {
        "fallback": (ref.torch_opinfo.op, sample),
        "custom": (ref.op, sample),
        "reference": (ref.torch_opinfo.op, wide),
    }
    told = {}
    for arm, (operator, given) in arms.items():
        torch.manual_seed(7)
        own = given.transform(lambda x: x.clone() if isinstance(x, torch.Tensor) else x)
        try:
            answer = operator(own.input, *own.args, **own.kwargs)
        except Exception as error:  # noqa: BLE001  whatever an operator raises is told
            tell(name, number, problem=f"{arm} raised {type(error).__name__}: {str(error)[:100]}")
            return
        tensors = [answer] if isinstance(answer, torch.Tensor) else list(answer) if listed(answer) else []
        if not tensors or not all(type(t) is torch.Tensor and t.layout == torch.strided for t in tensors):
            tell(name, number, problem="does not answer in dense tensors")
            return
        if sum(t.numel() * t.element_size() for t in tensors) > MOST_BYTES:
            tell(name, number, problem="answers in more than 1 MiB")
            return
        told[arm] = [
            written(t, folder / f"{name.replace('/', '_')}-{number}-{arm}-{i}.bin") for i, t in enumerate(tensors)
        ]
    inputs = [t for t in (sample.input, *sample.args, *sample.kwargs.values()) for t in tensors_in(t)]
    longest = max((n for t in inputs for n in (*t.shape, 1)), default=1)
    tell(name, number, longest=longest, **told)


def listed(value: object) -> bool:
    return isinstance(value, (tuple, list))


def tensors_in(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors_in(item)] if listed(value) else []


def written(tensor: torch.Tensor, path: Path) -> dict[str, object]:
    dense = tensor.detach().resolve_conj().resolve_neg().contiguous().cpu()
    size = dense.numel() * dense.element_size()
    path.write_bytes(ctypes.string_at(dense.data_ptr(), size) if size else b"")
    name = str(tensor.dtype).removeprefix("torch.")
    return {"path": path.name, "dtype": name, "shape": list(tensor.shape), "strides": list(tensor.stride())}


def tell(name: str, number: int, **more: object) -> None:
    print(json.dumps({"operator": name, "sample": number, **more}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), getattr(torch, sys.argv[2]))
