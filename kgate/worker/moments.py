"""
What becomes of a case when its function is called again on the same arguments: a second time, where memory holds what
nobody has written, over and over; and whether it heeds what changes in its arguments.

Outputs that have other bits than the first call's are exported, and judged as the first ones are. The rest is facts
(see protocol.Facts): evidence of this process's, never a verdict.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from kgate.protocol import MOMENTS, Moment, Output
from kgate.worker import asides, surroundings
from kgate.worker.exports import Target, written
from kgate.worker.faults import Fault, foreign, line_of, reason_of
from kgate.worker.fences import gaps_kept
from kgate.worker.gradients import Expanded
from kgate.worker.inputs import Input, bytes_of
from kgate.worker.likeness import distance, overlap, same_bits
from kgate.worker.observation import Observation, watchable
from kgate.worker.poison import PATTERNS, poisoned
from kgate.worker.subject import Subject
from kgate.worker.watches import CallCount, counted
from kgate.worker.ways import copies

SLOW_S = 1.0  # a call that takes longer is made a second time and not again
REPEATS_S, REPEATS = 0.15, 2000  # whichever comes first
HEEDED = 8  # arguments that are asked after; each takes a call
OTHER_SEED = 0x5EED
OWN_SHARE = 0.05  # of the device's memory: beside copies of more of it a call may want for room
# Of its norm: by less, an output of another order of the same sum differs from itself.
MATERIAL = 0.01


@dataclass(frozen=True, kw_only=True)
class First:
    """What the first call gave: outputs, held so that no later call is given their memory, and copies of them."""

    outputs: tuple[Any, ...]
    copies: tuple[Any, ...]
    own: tuple[bool, ...]  # which outputs are no arguments

    def same(self, outputs: Sequence[Any]) -> bool:
        return len(outputs) == len(self.copies) and all(map(same_bits, self.copies, outputs))


def observe(subject: Subject, seen: Observation, outputs: tuple[Any, ...], target: Target) -> list[Output]:
    """The calls of the case's moments. What they raise is a Fault that names the moment."""
    asked = [moment for moment in MOMENTS if moment in subject.case.moments]
    if not asked or (subject.functions.setup is not None and subject.functions.reset is None):
        return []  # a state that nobody sets back may answer otherwise each time
    exported: list[Output] = []
    try:
        call_again(subject, seen, outputs, target, asked, exported)
    except Exception as error:
        if not own_doing(error, outputs, subject.ground.device_name):
            raise
        seen.note(f"not called again: kgate's copies of its outputs leave no memory for it: {line_of(error)}")
    tell(seen, "wrote-outside", [i.name for i in subject.inputs.tensors if not untouched(i)])
    return exported


def call_again(
    subject: Subject,
    seen: Observation,
    outputs: tuple[Any, ...],
    target: Target,
    asked: Sequence[Moment],
    exported: list[Output],
) -> None:
    """What is to be looked at ends up in `exported`, so that it stands whatever a later call raises."""
    note_memory(subject, seen, outputs)
    arguments = [i.tensor for i in subject.inputs.tensors]
    first = First(
        outputs=outputs,
        copies=copies(outputs),
        own=tuple(all(output is not argument for argument in arguments) for output in outputs),
    )
    began = time.perf_counter()
    for moment in asked:
        exported += MADE[moment](subject, seen, first, target)
        tell(seen, "moments", [moment])
        if moment == "second call" and time.perf_counter() - began > SLOW_S:
            return
    note_heeded(subject, seen, first)
    note_expanded(subject, seen)
    asides.note_rows(subject, seen, first.copies)
    asides.note_stream(subject, seen, first.copies)


def own_doing(error: Exception, outputs: Sequence[Any], device: str) -> bool:
    """
    Whether memory ran out in kgate's own work, or in a call beside copies that a product does not have. A function that
    runs out of it beside small ones does so by itself.
    """
    if not isinstance(error, Fault):
        return reason_of(error, "run") == "out-of-memory"
    copied_bytes = sum(map(bytes_of, outputs))
    return error.reason == "out-of-memory" and copied_bytes >= OWN_SHARE * memory_bytes(device)


def memory_bytes(device: str) -> int:
    if device == "cpu":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import torch

    return int(torch.cuda.mem_get_info(device)[1])


def tell(seen: Observation, key: str, names: list[str]) -> None:
    """Beside what the fact has named before; a fact of nothing is left out."""
    known = cast("list[str]", seen.facts.get(key, []))
    if fresh := [name for name in names if name not in known]:
        seen.facts[key] = [*known, *fresh]


def again(subject: Subject, moment: str) -> tuple[Any, ...]:
    try:
        return foreign("run", partial(subject.outputs, subject.again("run")))
    except Fault as fault:
        raise Fault(fault.rung, fault.reason, f"{WHEN[moment]}: {fault.text}", fault.detail) from None


def second_call(subject: Subject, seen: Observation, first: First, target: Target) -> list[Output]:
    drawn = surroundings.random_state()
    surroundings.move_on()
    before = surroundings.call_state()
    with fallback_counted(subject, seen), surroundings.variables_watched() as names:
        outputs = again(subject, "second call")
    note_changed_inputs(subject, seen, cast("dict[str, str]", seen.facts.get("input-digests", {})))
    kept = surroundings.set_again(seen.variables, names)
    tell(seen, "surroundings", [*surroundings.call_changes(before), *kept, *surroundings.seeded_anew(drawn)])
    tell(seen, "output-reused", reused(first, outputs))
    return different(first, outputs, "second call", target)


@contextlib.contextmanager
def fallback_counted(subject: Subject, seen: Observation) -> Iterator[None]:
    """How often the custom path calls the fallback, which it is there to replace."""
    entry = subject.case.fallback
    count = watchable("fallback", entry, seen, seen.tree) if entry else None
    if count is None or count.sees_as(CallCount(subject.functions.entry)):
        yield
        return
    with counted(count):
        yield
    seen.facts["called-fallback"] = count.calls


def note_changed_inputs(subject: Subject, seen: Observation, before: dict[str, str]) -> None:
    """A function may leave its inputs alone the first time only."""
    mutable = subject.inputs.named(subject.case.mutates)
    changed = foreign("run", partial(subject.inputs.changed, before, subject.case.seed, mutable))
    tell(seen, "inputs-changed", changed)


def in_poison(moment: Moment, subject: Subject, seen: Observation, first: First, target: Target) -> list[Output]:
    sizes_bytes = [bytes_of(output) for output in first.copies]
    with poisoned(PATTERNS[moment], subject.ground.device_name, sizes_bytes):
        outputs = again(subject, moment)
    return different(first, outputs, moment, target)


def repeats(subject: Subject, seen: Observation, first: First, target: Target) -> list[Output]:
    """Of those that differ, the one that differs most is exported."""
    until = time.perf_counter() + REPEATS_S
    made = differ = 0
    worst: tuple[float, tuple[Any, ...]] = (-1.0, ())
    while made < REPEATS and (time.perf_counter() < until or made < 2):
        outputs = again(subject, "repeats")
        made += 1
        if not first.same(outputs):
            differ += 1
            apart = max(map(distance, first.copies, outputs), default=0.0) if alike(first, outputs) else float("inf")
            if apart > worst[0]:
                worst = (apart, copies(outputs))
    seen.facts["repeats"], seen.facts["repeats-differ"] = made, differ
    return different(first, worst[1], "repeats", target) if worst[1] else []


MADE: Mapping[Moment, Callable[[Subject, Observation, First, Target], list[Output]]] = {
    "second call": second_call,
    "memory of NaN": partial(in_poison, "memory of NaN"),
    "memory of 1e36": partial(in_poison, "memory of 1e36"),
    "repeats": repeats,
}
WHEN = {
    "second call": "on its second call",
    "memory of NaN": "where unwritten memory holds NaN",
    "memory of 1e36": "where unwritten memory holds 1e36",
    "repeats": "called over and over",
    "other values": "called on other values in the same memory",
}


def different(first: First, outputs: Sequence[Any], moment: Moment, target: Target) -> list[Output]:
    """Exported where any of them has other bits than the first call's."""
    if first.same(outputs):
        return []
    prefix = f"{target.prefix}-moment{MOMENTS.index(moment)}-"
    made = foreign("run", partial(written, outputs, replace(target, prefix=prefix)))
    return [replace(output, moment=moment) for output in made]


def note_memory(subject: Subject, seen: Observation, outputs: Sequence[Any]) -> None:
    mutable = subject.inputs.named(subject.case.mutates)
    given = [i for i in subject.inputs.tensors if not any(i is other for other in mutable)]
    shared = [f"output {index}: {i.name}" for index, out in enumerate(outputs) for i in given if overlap(out, i.tensor)]
    tell(seen, "shared-with-input", shared)
    tell(seen, "output-types", [named for out in outputs if (named := type_of(out)) != "torch.Tensor"])


def note_heeded(subject: Subject, seen: Observation, first: First) -> None:
    """Argument by argument: other values in the same memory, all else as it was."""
    ignores, heeds = [], []
    for chosen in [i for i in subject.inputs.tensors if i.offset(OTHER_SEED) and i.tensor.numel()][:HEEDED]:

        def call(changed: Input = chosen) -> Any:
            subject.ready(subject.case.seed)
            subject.inputs.rewrite(changed, OTHER_SEED)
            with subject.entered():
                return subject.call()

        try:
            outputs = subject.outputs(subject.ground.enter("run", call))
        except Fault as fault:
            raise Fault(fault.rung, fault.reason, f"{WHEN['other values']}: {fault.text}", fault.detail) from None
        if first.same(outputs):
            ignores.append(chosen.name)
        elif not alike(first, outputs) or max(map(distance, first.copies, outputs)) > MATERIAL:
            heeds.append(chosen.name)
    tell(seen, "ignores" if any(bool(copy.any()) for copy in first.copies) else "ignores-in-zeros", ignores)
    tell(seen, "heeds", heeds)


def note_expanded(subject: Subject, seen: Observation) -> None:
    """Gradients under one number for all elements, as a stride of 0, beside those under the same, written out."""
    if subject.backward is None:
        return
    source = subject.backward.source
    ways = [replace(subject, backward=Expanded(source, dense=dense)) for dense in (True, False)]
    try:
        dense, expanded = (way.outputs(way.again("run")) for way in ways)
    except Fault as fault:
        text = f"under an incoming gradient that is expanded from one element: {fault.text}"
        raise Fault(fault.rung, fault.reason, text, fault.detail) from None
    apart = [i for i, (one, other) in enumerate(zip(dense, expanded, strict=True)) if distance(one, other) > MATERIAL]
    tell(seen, "expanded-apart", [f"output {index}" for index in apart])


def untouched(given: Input) -> bool:
    return (given.fence is None or given.fence.kept) and gaps_kept(given.tensor)


def reused(first: First, outputs: Sequence[Any]) -> list[str]:
    """Outputs of the first call whose memory a later call's outputs lie in, or that are not what they were."""
    found = []
    for index, (held, copy, own) in enumerate(zip(first.outputs, first.copies, first.own, strict=True)):
        if own and (any(overlap(held, output) for output in outputs) or not same_bits(held, copy)):
            found.append(f"output {index}")
    return found


def type_of(value: Any) -> str:
    import torch

    kind = type(value)
    return "torch.Tensor" if kind in (torch.Tensor, torch.nn.Parameter) else f"{kind.__module__}.{kind.__qualname__}"


def alike(first: First, outputs: Sequence[Any]) -> bool:
    """The same number, shapes and dtypes."""
    return [(t.shape, t.dtype) for t in first.copies] == [(t.shape, t.dtype) for t in outputs]
