"""
What an example's kernels answer, told by PyTorch alone: the examples are proved without the gate that they prove.

The gate's interpreter reads the manifest and passes the cases on (`asked`); the kernels' interpreter runs this file by
its path and prints a line of JSON per case (`main`).
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLES = 20  # timed calls of a path; the median is kept
FLUSH_BYTES = 1 << 28  # more than the L2 cache of any GPU today


def asked(python: str, tree: Path, target: str, ask: str) -> list[dict[str, Any]]:
    """
    An answer per workload of `tree`'s manifest for `target`, "cpu" or "cuda".

    ask: "errors" (see `errors_of`), "times" (these and milliseconds), or "switch" (see `reached`). Raises
    CalledProcessError where the kernels' interpreter fails as a whole.
    """
    cases = [case for case in cases_of(tree) if target in case["targets"]]
    env = {"CC": "gcc", **os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TILELANG_DISABLE_CACHE": "1"}
    if ask == "switch":
        env |= dict(case["switch"] for case in cases)
    job = json.dumps({"tree": str(tree), "device": target, "ask": ask, "cases": cases})
    command = [python, str(Path(__file__).resolve())]
    done = subprocess.run(command, input=job, env=env, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def cases_of(tree: Path) -> list[dict[str, Any]]:
    from kgate.load import manifest

    return [
        {
            "kernel": kernel.name,
            "workload": workload.name,
            "targets": workload.targets,
            "switch": [kernel.switch.env, kernel.switch.fallback] if kernel.switch else None,
            "dispatch": kernel.dispatch,
            "custom": kernel.custom,
            "fallback": kernel.fallback,
            "reference": kernel.reference,
            "tensors": [
                [t.shape, t.dtype, t.fill.kind, t.fill.a, t.fill.b, t.scale]  # type: ignore[union-attr]
                for t in workload.args.values()
            ],
        }
        for kernel in manifest.load(tree / "kgate.yaml").kernels
        for workload in kernel.workloads
    ]


def tensor(spec: list[Any], device: str) -> Any:
    """Of the shape, dtype and distribution given. normal: a + b times N(0, 1); uniform: from a to b."""
    import torch

    shape, dtype, kind, a, b, scale = spec
    drawn = torch.empty(shape, device=device)
    drawn = {"normal": drawn.normal_, "uniform": drawn.uniform_}[kind](a, b)
    return (drawn * scale).to(getattr(torch, dtype))


def function(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def error(value: Any, exact: Any) -> float:
    """Largest |value - exact|, divided by the largest |exact| of its row; -1 where value is not finite."""
    import torch

    scale = exact.abs().amax(dim=-1, keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    value = value.double()
    return ((value - exact).abs() / scale).max().item() if value.isfinite().all() else -1.0


def errors_of(case: dict[str, Any], inputs: list[Any]) -> dict[str, Any]:
    """Per path: dtype, shape, error against float64, seconds of the first call; or what it raised."""
    exact = function(case["reference"] or case["fallback"])(*(x.double() for x in inputs))
    return {path: errors_of_path(function(case[path]), inputs, exact) for path in ("custom", "fallback", "dispatch")}


def errors_of_path(call: Callable[..., Any], inputs: list[Any], exact: Any) -> dict[str, Any]:
    begun = time.monotonic()
    try:
        value = call(*inputs)
        found = error(value, exact)  # waits for the device
    except Exception as raised:  # noqa: BLE001  whatever it is, it is the answer
        return {"raised": f"{type(raised).__name__}: {raised}"}
    dtype = str(value.dtype).removeprefix("torch.")
    return {"dtype": dtype, "shape": list(value.shape), "error": found, "first_s": time.monotonic() - begun}


def times_of(case: dict[str, Any], inputs: list[Any]) -> dict[str, float]:
    timer = cuda_ms if inputs[0].is_cuda else cpu_ms
    return {f"{path}_ms": timer(function(case[path]), inputs) for path in ("custom", "fallback")}


def cuda_ms(call: Callable[..., Any], inputs: list[Any]) -> float:
    """Between two events, with the L2 cache overwritten before."""
    import torch

    samples, flush = [], torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
    for _ in range(SAMPLES):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        flush.zero_()
        start.record()
        call(*inputs)
        end.record()
        end.synchronize()
        samples.append(start.elapsed_time(end))
    return statistics.median(samples)


def cpu_ms(call: Callable[..., Any], inputs: list[Any]) -> float:
    samples = []
    for _ in range(SAMPLES):
        begun_ns = time.monotonic_ns()
        call(*inputs)
        samples.append((time.monotonic_ns() - begun_ns) / 1e6)
    return statistics.median(samples)


def reached(case: dict[str, Any], inputs: list[Any]) -> dict[str, Any]:
    """The path that one call of the dispatch came to first; its functions are looked up in its own module."""
    calls = []
    module = importlib.import_module(case["dispatch"].partition(":")[0])
    originals = {path: function(case[path]) for path in ("custom", "fallback")}
    for path in originals:
        setattr(module, path, lambda *_, path=path: calls.append(path))
    function(case["dispatch"])(*inputs)
    for path, original in originals.items():
        setattr(module, path, original)
    return {"reached": calls}


def main() -> None:
    job = json.load(sys.stdin)
    sys.path.insert(0, job["tree"])
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    for case in job["cases"]:
        inputs = [tensor(spec, job["device"]) for spec in case["tensors"]]
        longest = max(size for x in inputs for size in x.shape)
        answer = {"kernel": case["kernel"], "workload": case["workload"], "longest": longest}
        answer |= reached(case, inputs) if job["ask"] == "switch" else errors_of(case, inputs)
        if job["ask"] == "times":
            answer |= times_of(case, inputs)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
