"""
A trace of the small transformer, and torch's own table of it: `python profiled.py FOLDER DEVICE [stack]`, run under an
interpreter that has torch. Writes trace.json and table.json: host and device rows as `key_averages()` has them.
"""

import json
import sys
from pathlib import Path

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, str(Path(__file__).with_name("product")))

from acme.model import made, serve


@torch.inference_mode()
def main(folder: Path, device: str, stack: bool) -> None:
    torch.set_num_threads(1)
    model, prompts = made(device)
    serve(model, prompts[0])  # what is done once, such as loading kernels, is no production
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device != "cpu" else [])]
    with profile(activities=activities, record_shapes=True, with_stack=stack) as profiled:
        for prompt in prompts:
            serve(model, prompt)
        if device != "cpu":
            torch.cuda.synchronize()
    profiled.export_chrome_trace(str(folder / "trace.json"))
    table = [
        {
            "name": row.key,
            "host": row.device_type == DeviceType.CPU,
            "range": row.is_user_annotation,
            "calls": row.count,
            "self_us": row.self_cpu_time_total,
            "total_us": row.cpu_time_total,
            "device_self_us": row.self_device_time_total,
            "device_total_us": row.device_time_total,
        }
        for row in profiled.key_averages()
    ]
    (folder / "table.json").write_text(json.dumps(table))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "stack" in sys.argv[3:])
