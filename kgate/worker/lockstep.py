"""
Timing under the gate's command: one request, one answer, over the socket on which the gate listens.

A call here is `steps` calls in a row, alike in every arm. Its context, its inputs and its state are set before the
clock starts.
"""

import dataclasses
import gc
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from kgate.protocol import (
    LINE_LIMIT,
    Answer,
    Arrange,
    Arranged,
    CaseJob,
    Export,
    Exported,
    Failed,
    Prepare,
    Quit,
    Ready,
    Release,
    Request,
    Rung,
    TimeBlock,
    Times,
    WarmUp,
    address,
    decode,
    encode,
)
from kgate.wire import ProtocolError
from kgate.worker import devices
from kgate.worker.adapters import Compiles
from kgate.worker.control import Control
from kgate.worker.devices import Sample, Timer
from kgate.worker.exports import Budget, Target, written
from kgate.worker.faults import Fault, foreign
from kgate.worker.inputs import bytes_of
from kgate.worker.subject import Subject, subject_of
from kgate.worker.ways import Alone, Kept, Way, arranged


@dataclasses.dataclass(frozen=True, kw_only=True)
class Prepared:
    subject: Subject
    timer: Timer
    way: Way
    kept: dict[int, Kept]  # by the inputs' seed, oldest first


def serve(control: Control) -> None:
    """Until Quit, or until the gate hangs up."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gate:
        with address(Path(control.job.socket)) as name:
            gate.connect(name)
        session = Session(control)
        for request in requests(gate.makefile("rb")):
            gate.sendall(encode(session.answer(request)))


def requests(stream: BinaryIO) -> Iterator[Request]:
    while line := stream.readline(LINE_LIMIT):
        request: Request = decode(line)
        if isinstance(request, Quit):
            return
        yield request


class Session:
    """The cases that are prepared."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.cases = {case.case: case for case in control.job.cases}
        self.prepared: dict[str, Prepared] = {}
        self.budget = Budget(control.job.output_limit_bytes)
        self.spoiler = ""  # the case that left the device unusable

    def answer(self, request: Request) -> Answer:
        if isinstance(request, Quit) or request.case not in self.cases:
            raise ProtocolError(f"{type(request).__name__} of a case that is not in the job")
        if self.spoiler:
            text = f"the device has not been usable since {self.spoiler} failed"
            return Failed(case=request.case, rung="environment", reason="unavailable", text=text)
        try:
            return self.served(request)
        except Fault as fault:
            if not devices.alive(self.control.job.device):
                self.spoiler = request.case
            return fault.failed(request.case)

    def served(self, request: Prepare | WarmUp | Arrange | TimeBlock | Export | Release) -> Answer:
        match request:
            case Prepare():
                return self.prepare(self.cases[request.case], max(1, request.warmups))
            case WarmUp():
                return warmed(self.found(request.case), max(1, request.calls))
            case Arrange():
                return self.arrange(request)
            case TimeBlock():
                return block(self.found(request.case), request)
            case Export():
                return self.export(request)
            case Release():
                return self.release(request.case, request.everything)

    def found(self, case: str) -> Prepared:
        if case not in self.prepared:
            raise ProtocolError(f"{case} has not been prepared")
        return self.prepared[case]

    def prepare(self, case: CaseJob, warmups: int) -> Ready:
        subject = subject_of(case, self.control, lambda rung, ns: None)
        timer = subject.ground.device.timer(subject.ground.device_name)
        prepared = Prepared(subject=subject, timer=timer, way=Alone(subject, timer), kept={})
        ready = warmed(prepared, warmups)
        self.prepared[case.case] = prepared
        return ready

    def arrange(self, request: Arrange) -> Arranged:
        """What cannot be arranged is no fault of the case: it can be timed otherwise. A device that is lost is."""
        prepared = self.prepared[request.case] = alone(self.found(request.case))  # so that another's memory is free
        try:
            with collector_off():
                way = arranged(request.method, prepared.subject, prepared.timer, request.calls)
        except Fault as fault:
            if not devices.alive(self.control.job.device):
                raise
            return Arranged(case=request.case, problem=fault.text)
        prepared.timer.notes()  # of what was timed to arrange it
        self.prepared[request.case] = dataclasses.replace(prepared, way=way)
        return Arranged(case=request.case)

    def release(self, case: str, everything: bool) -> Ready:
        prepared = self.prepared.pop(case, None)
        if prepared is not None:
            ground = prepared.subject.ground
            del prepared
            ground.device.give_back(ground.device_name, everything)
        return Ready(case=case, estimate_ns=0, output_bytes=0)

    def export(self, request: Export) -> Exported:
        kept = self.found(request.case).kept.get(request.seed)
        if kept is None:
            text = f"the outputs of the sample with seed {request.seed} were not kept"
            raise Fault("latency", "unavailable", text)
        target = Target(case=request.case, out=self.control.out, prefix=request.prefix, budget=self.budget)
        outputs = foreign("latency", partial(written, kept.tensors, target))
        return Exported(
            case=request.case,
            outputs=tuple(dataclasses.replace(o, strides=s) for o, s in zip(outputs, kept.strides, strict=True)),
        )


def alone(prepared: Prepared) -> Prepared:
    return dataclasses.replace(prepared, way=Alone(prepared.subject, prepared.timer), kept={})


def warmed(prepared: Prepared, calls: int) -> Ready:
    subject, plain = prepared.subject, alone(prepared)
    samples = [sample(plain, subject.case.seed, 1, "run") for _ in range(calls)]
    outputs = subject.outputs(samples[-1].returned)
    prepared.timer.notes()  # these calls' are of no interest, and the first one's host time is a compiler's
    return Ready(
        case=subject.case.case,
        estimate_ns=int(statistics.median(s.span_ns for s in samples)),
        output_bytes=sum(map(bytes_of, outputs)),
        input_bytes=sum(bytes_of(i.tensor) for i in subject.inputs.tensors),
    )


def block(prepared: Prepared, request: TimeBlock) -> Times:
    compiled = prepared.subject.ground.adapter.compiles()
    prepared.kept.clear()
    began_ns = time.perf_counter_ns()
    with collector_off():
        samples: list[Sample] = prepared.subject.ground.enter("latency", partial(samples_of, prepared, request))
    wall_ns = time.perf_counter_ns() - began_ns
    return Times(
        case=request.case,
        samples_ns=tuple(taken.span_ns for taken in samples),
        call_ns=tuple(taken.call_ns for taken in samples),
        wall_ns=wall_ns,
        method=prepared.way.method,
        notes=prepared.timer.notes() | compiles_since(compiled, prepared.subject),
    )


def samples_of(prepared: Prepared, request: TimeBlock) -> list[Sample]:
    """All of a block are queued before the first is waited for; nothing but what is kept of them outlives its turn."""
    asked = []
    for seed in request.seeds:
        queued = prepared.way.queue(seed, request.batch)
        if request.keep_bytes:
            prepared.way.keep(prepared.kept, seed, queued.returned, request.keep_bytes)
        asked.append(queued.sample)
        del queued
    prepared.timer.settle()
    return [sample() for sample in asked]


def sample(prepared: Prepared, seed: int, calls: int, rung: Rung) -> Sample:
    """One sample, with what the user's code raises as the fault of this rung."""
    found: Sample = prepared.subject.ground.enter(rung, partial(prepared.way.sample, seed, calls))
    return found


def compiles_since(before: Compiles | None, subject: Subject) -> dict[str, int]:
    """A compiler that ran inside the timed region makes its times worthless."""
    after = subject.ground.adapter.compiles()
    return {} if before is None or after is None else {"compiles": after.since(before).count}


@contextmanager
def collector_off() -> Iterator[None]:
    """A collection of cyclic garbage would fall into whichever sample it pleases."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
