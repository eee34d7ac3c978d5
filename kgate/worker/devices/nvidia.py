"""NVIDIA GPUs, through torch and NVIDIA's management library; how they are timed is in `_events` and `_graphs`."""

from collections.abc import Callable
from typing import Any

from kgate.protocol import CUDA_TIMERS, SINGLE
from kgate.worker import nvml
from kgate.worker.devices import Launched, Traits, _peaks, _spin, _trace
from kgate.worker.devices._events import Events

METHOD = SINGLE
METHODS: tuple[str, ...] = CUDA_TIMERS
# What torch's allocator may hold without using it, as a share of the device's memory: three arms have a twelfth of it
# then. To give it back and take it again, piece by piece, costs a case of rotated inputs more than its samples do.
SPARE_SHARE = 1 / 36
NAMES_LIMIT, LETTERS_LIMIT = 200, 500  # kernel names reported of one call, and how much of each


def available(name: str) -> str:
    import torch

    if torch.version.hip:
        return f"{name}: this torch is built for AMD GPUs, which are not supported by this version"
    if torch.version.cuda is None:
        return f"{name}: torch {torch.__version__} is built without CUDA"
    count = torch.cuda.device_count()
    index = index_of(name)
    return "" if index < count else f"{name}: torch sees {count} CUDA devices"


def index_of(name: str) -> int:
    return int(name.partition(":")[2] or 0)


def select(name: str) -> None:
    import torch

    torch.cuda.set_device(name)


def traits(name: str) -> Traits:
    import torch

    properties = torch.cuda.get_device_properties(name)
    state = nvml.read(str(properties.uuid))
    return Traits(
        must_match={
            "device": properties.name,
            "capability": f"{properties.major}.{properties.minor}",
            "memory-bytes": str(properties.total_memory),
            "multiprocessors": str(properties.multi_processor_count),
            "cuda": str(torch.version.cuda),
            "driver": state.driver,
            "mig": state.mig,
            "power-limit-w": state.power_limit_w,
            "tf32": str(torch.backends.cuda.matmul.allow_tf32),
        },
        may_drift=dict(state.readings),
        information={"uuid": str(properties.uuid)},
    )


def synchronize(name: str) -> None:
    import torch

    torch.cuda.synchronize(name)


def held_bytes(name: str) -> int | None:
    import torch

    return int(torch.cuda.memory_allocated(name))


def peak_bytes(name: str) -> int | None:
    import torch

    return int(torch.cuda.max_memory_allocated(name))


def forget_peak(name: str) -> None:
    import torch

    torch.cuda.reset_peak_memory_stats(name)


def kernels(name: str, call: Callable[[], Any]) -> Launched | None:
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize(name)  # what was launched before is not this call's
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        call()
        torch.cuda.synchronize(name)
    events = [event.name for event in trace.events() or () if event.device_type == DeviceType.CUDA]
    launched = [event for event in events if not event.startswith(("Memcpy", "Memset"))]
    names = sorted({event[:LETTERS_LIMIT] for event in launched})
    return Launched(names=names[:NAMES_LIMIT], launches=len(launched), trace=_trace.of(trace))


def give_back(name: str, everything: bool = False) -> None:
    import torch

    # Other arms' processes need it; giving back a little of it costs more than it gains.
    spare_bytes = 0 if everything else SPARE_SHARE * torch.cuda.get_device_properties(name).total_memory
    if torch.cuda.memory_reserved(name) - torch.cuda.memory_allocated(name) > spare_bytes:
        torch.cuda.empty_cache()


def peaks(name: str) -> dict[str, float]:
    return _peaks.peaks(name)


def spin(name: str) -> dict[str, float]:
    return _spin.spin(name)


def timer(name: str) -> Events:
    return Events(name)
