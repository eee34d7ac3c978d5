"""
Sets of inputs for calls in a row: each call of a sample has arguments of its own, so that none finds them in a cache
that the call before it has filled.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kgate.protocol import seed_of_call
from kgate.worker.inputs import Input, Inputs, another, distinct
from kgate.worker.subject import Subject


class Sets:
    """`count` sets of a case's arguments, with what a call on each of them is and gives."""

    def __init__(self, subject: Subject, count: int) -> None:
        self.subject = subject
        device = subject.ground.device_name
        self.inputs: list[Inputs] = [another(subject.case, device, subject.inputs) for _ in range(count)]
        self.columns = [Column(tensors) for tensors in zip(*(i.tensors for i in self.inputs), strict=True)]
        self.calls: list[Callable[[], Any]] = [partial(subject.call_on, inputs) for inputs in self.inputs]

    def write(self, seed: int) -> None:
        """All of them, each for its own call of the sample with this seed."""
        import torch

        seeds = [seed_of_call(seed, call) for call in range(len(self.inputs))]
        with torch.no_grad():
            for column in self.columns:
                column.write(seeds)

    def outputs(self, call: int, returned: Any) -> tuple[Any, ...]:
        return self.subject.outputs_on(self.inputs[call], returned)


class Column:
    """
    One tensor argument in every set. Its values are held twice in a row, so that those of any seed are one slice, and
    all sets are written by one operator: 64 sets by themselves take a host longer than the device takes for the calls.
    """

    def __init__(self, inputs: Sequence[Input]) -> None:
        import torch

        self.inputs = inputs
        first = inputs[0]
        self.count = len(first.values)
        self.source = first.values if first.spec.fixed else torch.cat((first.values, first.values))
        self.flat = [i.tensor.view(-1) for i in inputs] if first.tensor.is_contiguous() else []

    def write(self, seeds: Sequence[int]) -> None:
        import torch

        if not self.flat:
            for tensor, seed in zip(self.inputs, seeds, strict=True):
                tensor.write(seed)
            return
        starts = [self.start(seed) for seed in seeds]
        values = [self.source[start : start + self.count] for start in starts]
        torch._foreach_copy_(self.flat, values)

    def start(self, seed: int) -> int:
        """Value i goes to place i + offset, wrapped around."""
        offset = self.inputs[0].offset(seed)
        return self.count - offset if offset else 0


class Wipe:
    """Sets every element of these outputs to bytes of 0xFF, which is NaN in every float dtype; bools to True."""

    def __init__(self, outputs: Sequence[tuple[Any, ...]]) -> None:
        """`outputs` of each call, alike in number, shape and dtype."""
        self.columns = [
            [distinct(tensor, tuple(tensor.stride())) for tensor in column] for column in zip(*outputs, strict=True)
        ]
        self.patterns = [pattern(column[0]) for column in self.columns]

    def __call__(self) -> None:
        import torch

        with torch.no_grad():
            for column, wiped in zip(self.columns, self.patterns, strict=True):
                torch._foreach_copy_(column, [wiped] * len(column))


def pattern(tensor: Any) -> Any:
    import torch

    if tensor.dtype == torch.bool:
        return torch.ones(tensor.shape, dtype=torch.bool, device=tensor.device)
    size_bytes = tensor.numel() * tensor.element_size()
    filled = torch.full((size_bytes,), 0xFF, dtype=torch.uint8, device=tensor.device)
    return filled.view(tensor.dtype).view(tensor.shape)
