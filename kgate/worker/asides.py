"""
Calls that are made otherwise than the first and have to answer alike: the last row of a batch by itself, and on a
stream that is not the default one. Facts alone; a fallback that answers alike tells that a kernel can be asked to.
"""

import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from kgate.worker.faults import Fault
from kgate.worker.likeness import distance
from kgate.worker.observation import Observation
from kgate.worker.subject import Subject
from kgate.worker.ways import copies

# Of its norm: by less, an output of another order of the same sum differs from itself; and of coarse dtypes so many
# steps.
MATERIAL, STEPS = 0.01, 8
# Some 20 ms at 1.7 GHz: what is still to come on the default stream then has not come when the other one is done.
ASLEEP_CYCLES = 1 << 25


def note_rows(subject: Subject, seen: Observation, first: Sequence[Any]) -> None:
    """`first`: copies of the first call's outputs. On a GPU another shape may have to be compiled, and is not asked."""
    rows = batch_of(subject, first) if subject.ground.device_name == "cpu" else 0
    if not rows:
        return
    last = partial(narrowed, rows=rows)
    given = [last(value) for value in subject.inputs.positional]
    named = {name: last(value) for name, value in subject.inputs.keywords.items()}

    def alone() -> Any:
        subject.ready(subject.case.seed)
        with subject.entered():
            return subject.functions.entry(*given, **named)

    try:
        outputs = subject.outputs(subject.ground.enter("run", alone))
    except Fault:
        return  # a refusal, or no batch at all
    wanted = [output.narrow(0, rows - 1, 1) for output in first]
    if [output.shape for output in outputs] == [row.shape for row in wanted]:
        told(seen, "rows-apart", apart(wanted, outputs))
        seen.facts["rows"] = rows


def batch_of(subject: Subject, outputs: Sequence[Any]) -> int:
    """How many rows all outputs and some inputs have; 0 where rows are no question to be asked."""
    functions, case = subject.functions, subject.case
    if functions.setup is not None or subject.backward is not None or case.mutates or case.steps > 1:
        return 0
    counts = {output.shape[0] if output.dim() and output.is_floating_point() else 0 for output in outputs}
    rows = counts.pop() if len(counts) == 1 else 0
    return rows if rows > 1 and any(rows == i.tensor.shape[0] for i in subject.inputs.tensors if i.tensor.dim()) else 0


def narrowed(value: Any, rows: int) -> Any:
    """The last row of a tensor of so many, a view; anything else as it is."""
    import torch

    batched = isinstance(value, torch.Tensor) and value.dim() and value.shape[0] == rows
    return value.narrow(0, rows - 1, 1) if batched else value


def note_stream(subject: Subject, seen: Observation, first: Sequence[Any]) -> None:
    """
    On a stream of its own while the default one is busy: work that is put on the default one is not done when the
    caller's stream is.
    """
    if subject.ground.device_name == "cpu" or subject.functions.setup is not None:
        return
    import torch

    subject.ground.enter("run", partial(subject.ready, subject.case.seed))
    side = torch.cuda.Stream()

    def call() -> Any:
        with contextlib.suppress(AttributeError):  # torch's own, and private
            torch.cuda._sleep(ASLEEP_CYCLES)
        with torch.cuda.stream(side), subject.entered():
            outputs = copies(subject.outputs(subject.call()))
            # To the host, in this stream's order: on the device they would be what is there once all streams are done.
            return tuple(output.cpu() for output in outputs)

    try:
        outputs = subject.ground.enter("run", call)
    except Fault as fault:
        raise Fault(fault.rung, fault.reason, f"on a stream of the caller's: {fault.text}", fault.detail) from None
    if [(o.shape, o.dtype) for o in outputs] == [(f.shape, f.dtype) for f in first]:
        told(seen, "stream-apart", apart([one.cpu() for one in first], outputs))
        seen.facts["stream"] = True


def apart(wanted: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    pairs = enumerate(zip(wanted, outputs, strict=True))
    return [f"output {index}" for index, (one, other) in pairs if distance(one, other) > material(one.dtype)]


def material(dtype: Any) -> float:
    import torch

    return max(MATERIAL, STEPS * torch.finfo(dtype).eps) if dtype.is_floating_point else MATERIAL


def told(seen: Observation, key: str, names: list[str]) -> None:
    if names:
        seen.facts[key] = names
