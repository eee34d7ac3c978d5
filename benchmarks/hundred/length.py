"""
How long one case takes, in the interpreter that has torch: `python length.py FOLDER KERNEL DEVICE DTYPE ARGUMENT…`,
where an argument is a number or the sizes of a tensor joined by x. Prints ns of a call, and cycles of a ns.
"""

import importlib
import statistics
import sys
import time


def main(folder: str, kernel: str, device: str, dtype: str, *arguments: str) -> None:
    import torch

    sys.path.insert(0, folder)
    call = importlib.import_module(f"hundred.{kernel}").custom
    inputs = [
        float(text)
        if "." in text
        else torch.randn([int(n) for n in text.split("x")], device=device, dtype=getattr(torch, dtype))
        for text in arguments
    ]
    timed = on_gpu if device == "cuda" else on_cpu
    call(*inputs)
    print(timed(lambda: call(*inputs)), 1e7 / timed(lambda: torch.cuda._sleep(10_000_000)) if device == "cuda" else 1.0)


def on_gpu(call) -> float:
    import torch

    spans = []
    cold = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
    for _ in range(50):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        cold.zero_()
        torch.cuda._sleep(400_000)  # so that the host is ahead
        begin.record()
        call()
        end.record()
        end.synchronize()
        spans.append(begin.elapsed_time(end) * 1e6)
    return statistics.median(spans)


def on_cpu(call) -> float:
    spans = []
    for _ in range(50):
        began = time.perf_counter_ns()
        call()
        spans.append(time.perf_counter_ns() - began)
    return float(statistics.median(spans))


if __name__ == "__main__":
    main(*sys.argv[1:])
