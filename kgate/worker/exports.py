"""
Outputs: which tensors a call gave, and their bytes in C order.

Through ctypes and not through NumPy, which the user's interpreter may lack or have broken.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.protocol import Output
from kgate.worker.faults import Fault

CHUNK_BYTES = 16 << 20


class Budget:
    """The bytes that this process may still export."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.left_bytes = limit_bytes

    def spend(self, size_bytes: int) -> None:
        if size_bytes > self.left_bytes:
            text = f"an output of {size_bytes} bytes passes the limit of {self.limit_bytes} bytes for all of a process"
            raise Fault("run", "out-of-memory", text)
        self.left_bytes -= size_bytes


def outputs_of(returned: Any, mutated: Sequence[Any]) -> tuple[Any, ...]:
    """
    What was returned, then what `mutates` names, each counted once. None is an answer only where something is mutated.

    Raises Fault for anything but a tensor or a list or tuple of tensors.
    """
    if returned is None and mutated:
        returned = ()
    listed = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    for index, value in enumerate(listed):
        where = f"output {index}: " if isinstance(returned, (tuple, list)) else ""
        if problem := unfit(value):
            raise Fault("run", "wrong-type", f"{where}{problem}")
    found: list[Any] = []
    for tensor in (*listed, *mutated):
        if not any(same(tensor, other) for other in found):
            found.append(tensor)
    if not found:
        raise Fault("run", "wrong-type", "the function returned no tensor at all")
    return tuple(found)


def unfit(value: Any) -> str:
    """ "" for a dense tensor, else what came instead."""
    import torch

    if value is None:
        return "the function returned None, and the kernel declares no `mutates`"
    if not isinstance(value, torch.Tensor):
        return f"the function returned a value of type {type(value).__name__}, not a tensor"
    if value.layout != torch.strided or value.is_quantized or value.device.type == "meta":
        return f"the function returned a tensor of layout {value.layout} on {value.device}, not a dense one"
    return ""


def same(one: Any, other: Any) -> bool:
    """The same view of the same memory."""
    views = [(t.data_ptr(), t.dtype, t.shape, t.stride(), t.device) for t in (one, other)]
    return one is other or (one.numel() > 0 and views[0] == views[1])


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where one case's outputs go: files named `prefix` and a number, below `out`."""

    case: str
    out: Path
    prefix: str
    budget: Budget


def written(tensors: Sequence[Any], target: Target) -> tuple[Output, ...]:
    """Every tensor's bytes to its file. Raises Fault when there is no room."""
    return tuple(write(tensor, index, target) for index, tensor in enumerate(tensors))


def write(tensor: Any, index: int, target: Target) -> Output:
    target.budget.spend(tensor.numel() * tensor.element_size())
    file = target.out / f"{target.prefix}{index}.bin"
    try:
        with file.open("wb") as sink:
            for piece in pieces(tensor):
                sink.write(piece)
    except OSError as error:
        raise Fault("run", "out-of-memory", f"output {index} cannot be written: {error.strerror}") from None
    return Output(
        case=target.case,
        index=index,
        file=file.name,
        dtype=str(tensor.dtype).removeprefix("torch."),
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        device=str(tensor.device),
    )


def pieces(tensor: Any) -> Iterator[memoryview]:
    """The bytes of the tensor in C order; each piece is good until the next is asked for."""
    import torch

    with torch.no_grad():
        flat = tensor.detach().resolve_conj().resolve_neg().reshape(-1)
    step = max(1, CHUNK_BYTES // flat.element_size())
    for start in range(0, flat.numel(), step):
        part = flat[start : start + step].cpu().contiguous()  # flat, and with gaps yet where it had one dimension
        size_bytes = part.numel() * part.element_size()
        yield memoryview((ctypes.c_char * size_bytes).from_address(part.data_ptr())).cast("B")
