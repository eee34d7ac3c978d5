"""
The backward direction: a forward call, then its gradients by every floating input that the kernel does not write.

What comes in from above is random and dense, and the same in every arm: a gradient that is right under ones alone, as
`sum().backward()` sends them, is found out. What the gradients are taken by are leaves, as parameters are.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from kgate.protocol import CaseJob, Fill, TensorArg
from kgate.worker.draws import Source, drawn
from kgate.worker.faults import Fault

STREAM = 0x6B67617465 << 16  # with the output's number: no argument's
UNIFORM = Fill(kind="uniform", a=-1.0, b=1.0)
# Exact in every dtype that an output may have, so that all arms are sent the same numbers.
DRAWN_IN = "bfloat16"


def prepared(tensor: Any, name: str, case: CaseJob) -> Any:
    """An input as the direction wants it."""
    written = any(name == other or name.startswith(f"{other}.") for other in case.mutates)
    if case.direction == "backward" and not written and (tensor.is_floating_point() or tensor.is_complex()):
        tensor.requires_grad_()
    return tensor


class Backward:
    """What is sent back from above, drawn once for each form of outputs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sent: dict[object, list[Any]] = {}

    def gradients(self, returned: Any, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """By each leaf; zeros where an output does not depend on it. Raises Fault where there is none at all."""
        import torch

        outputs = differentiable(returned)
        if not leaves:
            raise Fault("run", "wrong-type", "it has no floating input to take a gradient by")
        if not outputs:
            raise Fault("run", "wrong-type", "none of its outputs has a gradient: no backward pass is recorded")
        found = torch.autograd.grad(outputs, list(leaves), self.from_above(outputs), allow_unused=True)
        return tuple(torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves, strict=True))

    def from_above(self, outputs: Sequence[Any]) -> list[Any]:
        from torch.utils._python_dispatch import _disable_current_modes

        form = tuple((tuple(t.shape), t.dtype, t.device) for t in outputs)
        if form not in self.sent:
            with _disable_current_modes():  # what watches the operators of a reference has no business here
                self.sent[form] = [self.drawn(tensor, index) for index, tensor in enumerate(outputs)]
        return self.sent[form]

    def drawn(self, output: Any, index: int) -> Any:
        spec = TensorArg(shape=tuple(output.shape), dtype=DRAWN_IN, fill=UNIFORM, stream=STREAM + index)
        return drawn(spec, self.source).view(output.shape).to(device=output.device, dtype=output.dtype)


class Expanded(Backward):
    """One number for all elements, sent as a stride of 0, as `sum().backward()` does, or written out."""

    def __init__(self, source: Source, *, dense: bool) -> None:
        super().__init__(source)
        self.dense = dense

    def drawn(self, output: Any, index: int) -> Any:
        one = output.new_full((1,) * output.dim(), 0.75).expand(output.shape)
        return one.contiguous() if self.dense else one


class Within(Backward):
    """
    A backward pass within a context that the forward pass knows nothing of, and in the thread that asks for it, where
    calls can be watched: on a GPU it would run in one that Python does not know.
    """

    def __init__(self, source: Source, around: Callable[[], AbstractContextManager[object]]) -> None:
        super().__init__(source)
        self.around = around

    def gradients(self, returned: Any, leaves: Sequence[Any]) -> tuple[Any, ...]:
        import torch

        self.from_above(differentiable(returned))  # outside of the context
        with torch.autograd.set_multithreading_enabled(False), self.around():
            return super().gradients(returned, leaves)


def differentiable(returned: Any) -> list[Any]:
    import torch

    listed = returned if isinstance(returned, (tuple, list)) else (returned,)
    return [value for value in listed if isinstance(value, torch.Tensor) and value.requires_grad]
