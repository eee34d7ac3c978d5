"""How the samples of a prepared case are taken, and which of their outputs are kept for the gate to look at."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from kgate.protocol import BATCH, GRAPH, seed_of_call
from kgate.worker.devices import Queued, Sample, Timer
from kgate.worker.faults import Fault, foreign
from kgate.worker.inputs import bytes_of
from kgate.worker.rotation import Sets, Wipe
from kgate.worker.subject import Subject

# A replay does what its calls do if outputs differ by no more than this share, of their norm or of their elements:
# atomics change the last bits of a sum, while work that was not captured leaves nothing but wiped memory.
REPLAY_DIFFERS = 0.01


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A call's outputs, copied where a later sample would overwrite them; strides as returned."""

    tensors: tuple[Any, ...]
    strides: tuple[tuple[int, ...], ...]

    @property
    def size_bytes(self) -> int:
        return sum(map(bytes_of, self.tensors))


class Way(Protocol):
    method: str

    def sample(self, seed: int, calls: int) -> Sample:
        """From fresh inputs to the end of the device's work."""

    def queue(self, seed: int, calls: int) -> Queued:
        """The same, without waiting for the device; the timer has to settle."""

    def keep(self, kept: dict[int, Kept], seed: int, returned: Any, limit_bytes: int) -> None:
        """Add the outputs of the last sample, by the seed of the inputs that gave them; drop what is too much."""


class Alone:
    """Every call on the case's own inputs; its state is reset before a sample."""

    def __init__(self, subject: Subject, timer: Timer) -> None:
        self.subject = subject
        self.timer = timer
        self.method = subject.ground.device.METHOD

    def sample(self, seed: int, calls: int) -> Sample:
        self.subject.ready(seed)
        with self.subject.entered():
            return self.timer.sample([self.subject.call] * calls)

    def queue(self, seed: int, calls: int) -> Queued:
        self.subject.ready(seed)
        with self.subject.entered():
            return self.timer.queue([self.subject.call] * calls)

    def keep(self, kept: dict[int, Kept], seed: int, returned: Any, limit_bytes: int) -> None:
        add(kept, seed, self.subject.outputs(returned), limit_bytes)


class InTurn:
    """Calls in a row, each on a set of inputs of its own. The last one's outputs can be kept."""

    method = BATCH

    def __init__(self, subject: Subject, timer: Timer, calls: int) -> None:
        self.subject = subject
        self.timer = timer
        self.sets = Sets(subject, calls)
        self.sample(subject.case.seed, calls)  # the timer has to know how long the host takes for all of them

    def sample(self, seed: int, calls: int) -> Sample:
        self.sets.write(seed)
        with self.subject.entered():
            return self.timer.sample(self.sets.calls)

    def queue(self, seed: int, calls: int) -> Queued:
        """
        Waited for all the same: the host is slower than the device with so many calls, and a device takes a thousand
        or so that it has not begun before the host has to wait, which would count as leaked time.
        """
        taken = self.sample(seed, calls)
        return Queued(returned=taken.returned, sample=lambda: taken)

    def keep(self, kept: dict[int, Kept], seed: int, returned: Any, limit_bytes: int) -> None:
        last = len(self.sets.calls) - 1
        add(kept, seed_of_call(seed, last), self.sets.outputs(last, returned), limit_bytes)


class Replayed:
    """
    The calls captured and replayed. Their outputs stay where they are until the next sample, any call's can be kept.

    Host time is that of one call more, as a product makes it, on the case's own inputs. Raises Fault for calls that
    share the memory of an output, or whose replay does something else.
    """

    method = GRAPH

    def __init__(self, subject: Subject, timer: Timer, calls: int) -> None:
        self.subject = subject
        self.timer = timer
        self.sets = Sets(subject, calls)
        self.sets.write(subject.case.seed)
        with subject.entered():
            self.graph = timer.captured(self.sets.calls)
        self.outputs = [self.sets.outputs(call, returned) for call, returned in enumerate(self.graph.returned)]
        if shared(self.outputs):
            raise Fault("latency", "unavailable", "its calls share the memory of an output")
        self.wipe = Wipe(self.outputs)
        self.prove(subject.case.seed)

    def prove(self, seed: int) -> None:
        """First and last call stand for all, which are of one function."""
        self.sample(seed, len(self.outputs))
        chosen = sorted({0, len(self.outputs) - 1})
        seen = [copies(self.outputs[call]) for call in chosen]
        self.sets.write(seed)
        with self.subject.entered():
            wanted = [self.sets.outputs(call, self.sets.calls[call]()) for call in chosen]
        if not all(alike(a, b) for pair in zip(seen, wanted, strict=True) for a, b in zip(*pair, strict=True)):
            raise Fault(
                "latency", "unavailable", "a replay of its captured calls gives other outputs than the calls do"
            )

    def sample(self, seed: int, calls: int) -> Sample:
        asked = self.queue(seed, calls)
        self.timer.settle()
        return asked.sample()

    def queue(self, seed: int, calls: int) -> Queued:
        self.subject.ready(seed)
        with self.subject.entered():
            began_ns = time.perf_counter_ns()
            self.subject.call()
            call_ns = time.perf_counter_ns() - began_ns
        self.wipe()  # before the inputs are written, of which an output may be one
        self.sets.write(seed)
        span_ns = self.graph.queue()
        return Queued(returned=None, sample=lambda: Sample(span_ns=span_ns(), call_ns=call_ns, returned=None))

    def keep(self, kept: dict[int, Kept], seed: int, returned: Any, limit_bytes: int) -> None:
        kept.clear()
        for call, outputs in enumerate(self.outputs):
            kept[seed_of_call(seed, call)] = Kept(tensors=outputs, strides=strides_of(outputs))


ROTATED: Mapping[str, Callable[[Subject, Timer, int], Way]] = {GRAPH: Replayed, BATCH: InTurn}


def arranged(method: str, subject: Subject, timer: Timer, calls: int) -> Way:
    """Raises Fault for a method that the device, or this case, cannot be timed by."""
    device = subject.ground.device
    if method == device.METHOD:
        return Alone(subject, timer)
    if method not in device.METHODS or method not in ROTATED:
        text = f"{subject.ground.device_name} has no timer {method!r}; there are {', '.join(device.METHODS)}"
        raise Fault("latency", "unavailable", text)
    if subject.functions.setup is not None or subject.functions.reset is not None:
        raise Fault("latency", "unavailable", "its state is made once, and each call of a sample would need its own")
    made: Way = subject.ground.enter("latency", partial(ROTATED[method], subject, timer, max(1, calls)))
    return made


def add(kept: dict[int, Kept], seed: int, outputs: tuple[Any, ...], limit_bytes: int) -> None:
    """Copy a call's outputs and drop the oldest kept until all fit; one too large by itself is not kept."""
    if sum(map(bytes_of, outputs)) > limit_bytes:
        return
    kept[seed] = Kept(tensors=foreign("latency", partial(copies, outputs)), strides=strides_of(outputs))
    while sum(k.size_bytes for k in kept.values()) > limit_bytes:
        del kept[next(iter(kept))]


def copies(tensors: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tensor.detach().clone() for tensor in tensors)


def strides_of(tensors: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(tensor.stride()) for tensor in tensors)


def shared(outputs: Sequence[tuple[Any, ...]]) -> bool:
    """Whether an output of one call begins where one of another call does."""
    starts = [{tensor.data_ptr() for tensor in call if tensor.numel()} for call in outputs]
    return len(set().union(*starts)) < sum(map(len, starts))


def alike(seen: Any, wanted: Any) -> bool:
    """Bit by bit, or nearly; NaN is like NaN only where all is equal."""
    import torch

    if (seen.shape, seen.dtype) != (wanted.shape, wanted.dtype):
        return False
    one, other = (tensor.detach().contiguous().view(-1) for tensor in (seen, wanted))
    if not one.numel() or torch.equal(one.view(torch.uint8), other.view(torch.uint8)):
        return True
    if one.dtype.is_floating_point or one.dtype.is_complex:
        wide = torch.complex128 if one.dtype.is_complex else torch.float64
        one, other = one.to(wide), other.to(wide)
        return bool((one - other).norm() <= REPLAY_DIFFERS * other.norm())
    return bool((one != other).sum() <= REPLAY_DIFFERS * one.numel())
