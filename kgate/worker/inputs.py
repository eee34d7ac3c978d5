"""
A case's arguments: drawn once, then written anew before every call that counts.

Writing goes through `copy_`, so that version counters rise and a cache keyed by them is not called stale.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from kgate.protocol import Arg, CaseJob, ListArg, MapArg, TensorArg, ValueArg
from kgate.worker.draws import Source, drawn, dtype_of, refresh_offset
from kgate.worker.exports import pieces
from kgate.worker.faults import foreign
from kgate.worker.fences import MARK, Fence
from kgate.worker.gradients import prepared

DIGEST_LIMIT_BYTES = 64 << 20  # above it hashing takes seconds, and the values are compared with the drawn ones
COMPARED_AT_ONCE = 1 << 24  # elements


@dataclass(frozen=True, kw_only=True)
class Input:
    """One tensor argument. `name`: the argument's, then `.key` or `.index` for what lies inside lists and mappings."""

    name: str
    spec: TensorArg
    values: Any  # flat, C order, as drawn
    tensor: Any  # what the function sees
    fence: Fence | None = None  # around its memory

    @property
    def large(self) -> bool:
        return bytes_of(self.tensor) > DIGEST_LIMIT_BYTES

    def offset(self, seed: int) -> int:
        """How far the values of this seed are moved along; 0 is as drawn. `fixed` tensors never move."""
        return 0 if self.spec.fixed else refresh_offset(len(self.values), seed)

    def write(self, seed: int) -> None:
        """The values of the sample with this seed; fixed tensors too are restored."""
        offset = self.offset(seed)
        if self.tensor.is_contiguous() and not self.repeats:
            roll(self.values, offset, self.tensor.view(-1))
            return
        rolled = self.values.new_empty(len(self.values))
        roll(self.values, offset, rolled)
        strides = self.tensor.stride()
        distinct(self.tensor, strides).copy_(distinct(self.shown(rolled), strides))

    @property
    def repeats(self) -> bool:
        """Whether one element stands for several; a widened copy of it has room for all of them."""
        return self.spec.strides is not None and 0 in self.spec.strides

    def shown(self, values: Any) -> Any:
        """Flat values as the function sees them, also where index 0 stands for a whole dimension."""
        shaped = values.view(self.spec.shape)
        return distinct(shaped, self.spec.strides or ()).expand(self.spec.shape) if self.repeats else shaped

    def kept(self, seed: int) -> bool:
        """Whether the tensor still holds what `write` of this seed put there."""
        import torch

        offset = self.offset(seed)
        if self.tensor.is_contiguous() and not self.repeats:
            seen, cut = self.tensor.detach().view(-1), len(self.values) - offset
            return alike(seen[offset:], self.values[:cut]) and alike(seen[:offset], self.values[cut:])
        strides = self.tensor.stride()
        wanted = distinct(self.shown(torch.roll(self.values, offset)), strides)
        return alike(distinct(self.tensor.detach(), strides).reshape(-1), wanted.reshape(-1))


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """All arguments, as the function takes them; `tensors` is flat, in the order written."""

    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    tensors: tuple[Input, ...]

    def write(self, seed: int) -> None:
        """All of them, fixed ones too: whatever the last call did to them, values and caches start alike."""
        import torch

        with torch.no_grad():  # a function may have asked for gradients of its inputs
            for tensor in self.tensors:
                tensor.write(seed)

    def rewrite(self, tensor: Input, seed: int) -> None:
        """One of them, and nothing else."""
        import torch

        with torch.no_grad():
            tensor.write(seed)

    def named(self, names: tuple[str, ...]) -> tuple[Input, ...]:
        """The tensors that are, or lie inside, the arguments of these names."""
        return tuple(t for n in names for t in self.tensors if t.name == n or t.name.startswith(f"{n}."))

    def digests(self) -> dict[str, str]:
        """Name -> sha256 of the values as they are now, C order; larger tensors are left out."""
        return {t.name: digest(t.tensor) for t in self.tensors if not t.large}

    def changed(self, before: dict[str, str], seed: int, mutable: tuple[Input, ...]) -> list[str]:
        """Names of those that are not what they were `before` the call of this seed, but for the mutable ones."""
        after = self.digests()
        asked = [t for t in self.tensors if not any(t is other for other in mutable)]
        return [t.name for t in asked if (not t.kept(seed) if t.large else after[t.name] != before[t.name])]


def inputs_of(case: CaseJob, source: Source) -> Inputs:
    """Draws and writes the case's arguments. Raises Fault, also when memory runs out."""
    found = assembled(case, source.device, lambda name, spec: drawn(spec, source))
    foreign("run", partial(found.write, case.seed))
    return found


def another(case: CaseJob, device: str, first: Inputs) -> Inputs:
    """Arguments with memory of their own and the drawn values of `first`; to be written. Raises Fault."""
    values = {tensor.name: tensor.values for tensor in first.tensors}
    return assembled(case, device, lambda name, spec: values[name])


def assembled(case: CaseJob, device: str, values: Callable[[str, TensorArg], Any]) -> Inputs:
    tensors: list[Input] = []

    def tensor(name: str, spec: TensorArg) -> Any:
        fence = fenced(spec, device, case.widen) if case.fenced and device == "cpu" else None
        made = prepared(allocated(spec, device, case.widen) if fence is None else within(fence, spec), name, case)
        if case.dose is not None and case.dose.way == "misaligned" and spec.strides is None:
            made = moved(made, case.dose.amount)
        tensors.append(Input(name=name, spec=spec, values=values(name, spec), tensor=made, fence=fence))
        return made

    built = {name: foreign("run", partial(build, name, arg, tensor)) for name, arg in case.args.items()}
    return Inputs(
        positional=() if case.keywords else tuple(built.values()),
        keywords=built if case.keywords else {},
        tensors=tuple(tensors),
    )


def build(name: str, arg: Arg, tensor: Callable[[str, TensorArg], Any]) -> Any:
    """The argument as the function takes it; `tensor` makes the tensors, of which each has a name of its own."""
    match arg:
        case ValueArg():
            return arg.value
        case ListArg():
            return [build(f"{name}.{i}", item, tensor) for i, item in enumerate(arg.items)]
        case MapArg():
            return {key: build(f"{name}.{key}", item, tensor) for key, item in arg.items.items()}
        case TensorArg():
            return tensor(name, arg)


def allocated(spec: TensorArg, device: str, widen: bool) -> Any:
    """
    The storage that the strides span and nothing more, every byte 0xFF, which is NaN in every float dtype.

    Widened tensors are dense: one that kept its strides would let the reference repeat a fault with strides.
    """
    import torch

    dtype = dtype_of(spec.dtype)
    strides = spec.strides
    if widen and (dtype.is_floating_point or dtype.is_complex):
        dtype, strides = torch.complex128 if dtype.is_complex else torch.float64, None
    if strides is None:
        return torch.empty(spec.shape, dtype=dtype, device=device)
    poisoned = torch.full((span(spec.shape, strides) * dtype.itemsize,), MARK, dtype=torch.uint8, device=device)
    return poisoned.view(dtype).as_strided(spec.shape, strides)


def moved(tensor: Any, elements: int) -> Any:
    """As large a one, so many elements behind the beginning of what is allocated for it."""
    return tensor.new_empty(tensor.numel() + elements)[elements:].view(tensor.shape)


def span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Elements from the first to the last that an index reaches."""
    return 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def fenced(spec: TensorArg, device: str, widen: bool) -> Fence | None:
    """Memory for this tensor, tight at its end; None where it has no element, or there is no such memory."""
    count = math.prod(spec.shape) if spec.strides is None else span(spec.shape, spec.strides)
    if widen or not count:
        return None
    try:
        return Fence(count * dtype_of(spec.dtype).itemsize)
    except (OSError, ValueError):
        return None


def within(fence: Fence, spec: TensorArg) -> Any:
    """The tensor in this memory; no view of another one."""
    import torch

    plain = torch.empty(spec.shape, dtype=dtype_of(spec.dtype), device="meta").stride()
    strides = plain if spec.strides is None else spec.strides
    return torch.empty(0, dtype=dtype_of(spec.dtype)).set_(fence.storage(), 0, spec.shape, strides)


def roll(values: Any, offset: int, into: Any) -> None:
    """Value i goes to place i + offset, wrapped around; both flat."""
    into[offset:].copy_(values[: len(values) - offset])
    into[:offset].copy_(values[len(values) - offset :])


def distinct(tensor: Any, strides: tuple[int, ...]) -> Any:
    """Index 0 of every dimension of stride 0, which the memory does not really have."""
    for dimension, stride in enumerate(strides):
        if stride == 0:
            tensor = tensor.narrow(dimension, 0, min(1, tensor.shape[dimension]))
    return tensor


def alike(seen: Any, wanted: Any) -> bool:
    """In pieces, so that comparing two flat tensors of different dtypes takes little memory."""
    import torch

    pieces = zip(seen.split(COMPARED_AT_ONCE), wanted.split(COMPARED_AT_ONCE), strict=True)
    return all(torch.equal(one, other.to(one.dtype)) for one, other in pieces)


def bytes_of(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


def digest(tensor: Any) -> str:
    total = hashlib.sha256()
    for piece in pieces(tensor):
        total.update(piece)
    return total.hexdigest()
