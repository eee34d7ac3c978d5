"""
A GPU that is not there: torch answers as if it were, and its tensors have shape, dtype and device but no memory.

For a process that compiles and does nothing else: what is put in place here stays until the process ends.
"""

import contextlib
import ctypes
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kgate.worker.architectures import KIB, Architecture

ALIGNED = 256  # bytes; where torch's allocator on CUDA starts a block at least
STATIC_SHARED_BYTES = 48 * KIB  # of a block that has not opted in to more
REGISTERS = 65536  # of a multiprocessor, of every architecture known here
CUDA, LAZY = 1, 17  # c10::DeviceType
GUARDS = "_ZN3c104impl26device_guard_impl_registryE"  # c10::impl::device_guard_impl_registry


class NeedsGpu(RuntimeError):
    """Something was asked that only a real GPU can do."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs a GPU, and there is none")
        self.what = what


def refuse(what: str, *_: Any, **__: Any) -> Any:
    raise NeedsGpu(what)


def given(answer: Any, *_: Any, **__: Any) -> Any:
    return answer


class Entered(contextlib.ContextDecorator):
    """In place of torch.cuda.device and torch.cuda.stream: there is one device and one stream."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.idx = 0

    def __enter__(self) -> "Entered":
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Stream(Entered):
    """The stream that everything would be queued on; as a handle it is CUDA's default stream."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0
    priority = 0

    @property
    def device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    def query(self) -> bool:
        return True

    def record_event(self, event: Any = None) -> Any:
        return event or Event()

    def synchronize(self) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...


class Event:
    """Nothing is queued, so nothing is waited for; a time between two events would be made up."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def query(self) -> bool:
        return True

    def record(self, stream: Any = None) -> None: ...

    def wait(self, stream: Any = None) -> None: ...

    def synchronize(self) -> None: ...

    def elapsed_time(self, end: Any) -> float:
        return float(refuse("torch.cuda.Event.elapsed_time"))


def put_in_place(architecture: Architecture) -> AbstractContextManager[Any]:
    """
    Have `torch.cuda` speak of one GPU of this architecture, for good.

    Within the context returned, which can be entered again, tensors that are made on "cuda", and what is computed of
    them, are fake. Those on the CPU stay real, so that a wrapper may read what it has made there.
    """
    import torch
    from torch._subclasses import fake_tensor

    mode = mode_for_cuda()  # first: what it imports must find torch as it is
    for name, answer in answers(architecture).items():
        setattr(torch.cuda, name, answer)
    let_guards_pass()
    # A tensor made from data on "cuda" is first made on the CPU, and there only.
    torch._C._set_only_lift_cpu_tensors(True)
    fake_tensor.FakeTensor.data_ptr = address
    # Up to torch 2.11 it makes a real tensor where torch.cuda says that there is a GPU.
    fake_tensor.init_gpu_context = partial(given, None)
    return mode


def answers(architecture: Architecture) -> dict[str, Any]:
    """By name of torch.cuda's."""
    stream = Stream()
    memory = dict.fromkeys(("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"), 0)
    values = {
        **dict.fromkeys(("is_available", "is_initialized"), True),
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": (architecture.major, architecture.minor),
        "get_device_name": architecture.part,
        "get_device_properties": properties(architecture),
        "is_bf16_supported": architecture.major >= 8,
        "is_current_stream_capturing": False,
        "mem_get_info": (architecture.memory_bytes, architecture.memory_bytes),
        **dict.fromkeys(("current_stream", "default_stream"), stream),
        **dict.fromkeys(("init", "_lazy_init", "set_device", "set_stream", "synchronize", "empty_cache")),
        **dict.fromkeys(("reset_peak_memory_stats", "manual_seed", "manual_seed_all", "seed", "seed_all")),
        **memory,
    }
    classes = {"device": Entered, "device_of": Entered, "stream": Entered, "Stream": Stream, "Event": Event}
    refused = {name: partial(refuse, f"torch.cuda.{name}") for name in ("CUDAGraph", "graph", "ExternalStream")}
    return {**{name: partial(given, value) for name, value in values.items()}, **classes, **refused}


def properties(architecture: Architecture) -> SimpleNamespace:
    """With the names of torch's own."""
    return SimpleNamespace(
        name=architecture.part,
        major=architecture.major,
        minor=architecture.minor,
        multi_processor_count=architecture.multiprocessors,
        total_memory=architecture.memory_bytes,
        L2_cache_size=architecture.l2_bytes,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=architecture.threads_per_multiprocessor,
        regs_per_multiprocessor=REGISTERS,
        shared_memory_per_block=STATIC_SHARED_BYTES,
        shared_memory_per_block_optin=architecture.shared_limit_bytes,
        shared_memory_per_multiprocessor=architecture.shared_multiprocessor_bytes,
        is_integrated=0,
        is_multi_gpu_board=0,
        uuid="",
    )


def let_guards_pass() -> None:
    """
    Give a torch that is built without CUDA the device guard for it that does nothing; without one even `x.contiguous()`
    and `x[0]` are refused.

    FakeTensorMode puts that guard in the place of one that counts no devices, which is what it finds in a torch that is
    built with CUDA, on a machine without a GPU. In one built without there is none at all; the guard of lazy tensors
    counts none either.
    """
    import torch

    if torch.version.cuda is not None:
        return
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    # A torch without these symbols refuses those calls in a sentence of its own.
    with contextlib.suppress(ValueError, AttributeError):
        guards = (ctypes.c_void_p * (LAZY + 1)).in_dll(library, GUARDS)
        guards[CUDA] = guards[CUDA] or guards[LAZY]
        torch._C._ensureCUDADeviceGuardSet()


def address(tensor: Any) -> int:
    """As aligned as in memory: a view that starts within its storage starts behind an aligned address."""
    return ALIGNED + int(tensor.storage_offset() * tensor.element_size()) if tensor.numel() else 0


def mode_for_cuda() -> AbstractContextManager[Any]:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_map_only

    # A class of its own, since torch asks torch.cuda.is_available() to know whether a device is there to make tensors.
    fake = type("Fake", (FakeTensorMode,), {"avoid_device_init": True})(allow_non_fake_inputs=True)

    class MadeOnCuda(TorchDispatchMode):  # type: ignore[misc]  # torch is not there when this is typed
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            keywords = kwargs or {}
            device = keywords.get("device")
            if device is None or torch.device(device).type != "cuda":
                return function(*args, **keywords)  # a fake argument brings its own mode along
            with fake:
                return function(*tree_map_only(torch.Tensor, fake.from_tensor, args), **keywords)

    return MadeOnCuda()
