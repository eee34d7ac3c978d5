"""
A case made callable: device, adapter, functions, inputs and state in place, one rung after the other.

Every step into the user's code goes through `faults.foreign`, so that what it raises becomes that rung's Fault.
"""

import contextlib
import inspect
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

from kgate.protocol import CaseJob, Job, Rung
from kgate.worker import adapters, devices, loading, watches
from kgate.worker.control import Control
from kgate.worker.doses import dosed
from kgate.worker.draws import Source
from kgate.worker.exports import outputs_of
from kgate.worker.faults import Fault, foreign
from kgate.worker.gradients import Backward
from kgate.worker.inputs import Inputs, inputs_of

Climbed = Callable[[Rung, int], None]  # told of each rung that ended well, with its ns


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What a case stands on."""

    device: devices.Device
    device_name: str
    adapter: adapters.Adapter

    def enter(self, rung: Rung, call: Callable[[], Any]) -> Any:
        """The user's code, with the compiler's errors told apart, and waited for, so that late errors are its own."""

        def called() -> Any:
            returned = call()
            self.device.synchronize(self.device_name)
            return returned

        return foreign(rung, called, self.adapter.is_compile_error)


@dataclass(frozen=True, kw_only=True)
class Functions:
    entry: Callable[..., Any]
    setup: Callable[..., Any] | None
    reset: Callable[..., Any] | None
    context: Callable[..., Any] | None
    config: Callable[..., Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Subject:
    case: CaseJob
    ground: Ground
    functions: Functions
    inputs: Inputs
    state: tuple[Any, ...]  # what setup returned, or nothing
    held_bytes: int | None  # device memory of inputs and state; None if it is not counted
    backward: Backward | None = None  # what a call sends back after the forward pass; None: nothing

    def ready(self, seed: int) -> None:
        """Before every call that counts: inputs of this seed, state reset; untimed."""
        self.inputs.write(seed)
        if self.functions.reset is not None:
            self.functions.reset(*self.state)

    def call(self) -> Any:
        return self.call_on(self.inputs)

    def call_on(self, inputs: Inputs) -> Any:
        """`steps` calls in a row, each with its backward pass where that is asked for; what the last one gave."""
        call = partial(self.functions.entry, *self.state, *inputs.positional, **inputs.keywords)
        leaves = [i.tensor for i in inputs.tensors if i.tensor.requires_grad]
        try:
            for _ in range(self.case.steps):
                returned = call()
                if self.backward is not None:
                    returned = self.backward.gradients(returned, leaves)
        except TypeError:
            self.refuse_signature(call)
            raise
        return returned

    def refuse_signature(self, call: "partial[Any]") -> None:
        """Raises Fault where the function cannot be called like this at all, and the manifest is to blame for it."""
        try:
            takes = inspect.signature(self.functions.entry)
        except (TypeError, ValueError):  # of no function that is written in Python
            return
        try:
            takes.bind(*call.args, **call.keywords)
        except TypeError:
            given = ", ".join(["what setup returns"] * len(self.state) + list(self.case.args))
            raise Fault("run", "wrong-signature", f"it takes {takes} and is given ({given})") from None

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """The manifest's contexts, so that a call sees the switch in the asked position, and the choice made."""
        with contextlib.ExitStack() as around:
            if self.functions.context is not None and self.case.context is not None:
                around.enter_context(self.functions.context(self.case.context[1]))
            if self.functions.config is not None:
                around.enter_context(self.functions.config(dict(self.case.choice)))
            yield

    def again(self, rung: Rung) -> Any:
        """One more untimed call, from the beginning."""

        def called() -> Any:
            self.ready(self.case.seed)
            with self.entered():
                return self.call()

        return self.ground.enter(rung, called)

    def outputs(self, returned: Any) -> tuple[Any, ...]:
        return self.outputs_on(self.inputs, returned)

    def outputs_on(self, inputs: Inputs, returned: Any) -> tuple[Any, ...]:
        written = () if self.backward is not None else inputs.named(self.case.mutates)
        return outputs_of(returned, [i.tensor for i in written])


def subject_of(case: CaseJob, control: Control, climbed: Climbed) -> Subject:
    """Up to, and without, the first call. Raises Fault."""
    job = control.job
    with climbing("environment", climbed):
        ground = ground_of(case, job)
    with climbing("import", climbed):
        functions = functions_of(case, job, ground)
    if case.picks:
        ground.adapter.freeze(case.picks)
    if case.dose is not None:
        functions = replace(functions, entry=dosed(functions.entry, case.dose))
    before_bytes = ground.device.held_bytes(job.device)
    source = Source(tables=control.tables, device=job.device)
    inputs = inputs_of(case, source)
    state: tuple[Any, ...] = ()
    if functions.setup is not None:
        setup = functions.setup
        state = (ground.enter("run", lambda: setup(job.device, **case.symbols)),)
    after_bytes = ground.device.held_bytes(job.device)
    held_bytes = None if before_bytes is None or after_bytes is None else after_bytes - before_bytes
    return Subject(
        case=case,
        ground=ground,
        functions=functions,
        inputs=inputs,
        state=state,
        held_bytes=held_bytes,
        backward=Backward(source) if case.direction == "backward" else None,
    )


@contextlib.contextmanager
def climbing(rung: Rung, climbed: Climbed) -> Iterator[None]:
    began_ns = time.perf_counter_ns()
    yield
    climbed(rung, time.perf_counter_ns() - began_ns)


def warm(job: Job) -> None:
    """
    Import what takes seconds before the first case begins: a case's deadline is the kernel's, and the arms of a launch
    import at once.
    """
    needed: list[Callable[[], object]] = [
        partial(devices.device, job.device),
        *(partial(adapters.adapter, dsl) for dsl in sorted({c.dsl for c in job.cases})),
        *([watches.rehearse] if any(c.widen or c.cast for c in job.cases) else []),
    ]
    for reach in needed:
        # A case that needs it meets the same fault, and says so in its answer.
        with contextlib.suppress(Fault):
            foreign("environment", reach)


def ground_of(case: CaseJob, job: Job) -> Ground:
    adapter = adapters.adapter(case.dsl)
    foreign("environment", lambda: import_module("torch"))  # makes the inputs, whatever the DSL
    device = devices.device(job.device)
    foreign("environment", lambda: device.select(job.device))
    return Ground(device=device, device_name=job.device, adapter=adapter)


def functions_of(case: CaseJob, job: Job, ground: Ground) -> Functions:
    loading.enter(job.tree)

    def found(name: str) -> Callable[..., Any] | None:
        return loading.function_of(name, job.tree, ground.adapter.is_compile_error) if name else None

    return Functions(
        entry=loading.function_of(case.entry, job.tree, ground.adapter.is_compile_error),
        setup=found(case.setup),
        reset=found(case.reset),
        context=found(case.context[0] if case.context else ""),
        config=found(case.config),
    )
