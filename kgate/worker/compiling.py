"""
Mode "compile": what a case would run on a GPU of the job's architecture is compiled here, without one.

A process compiles for one architecture, since wrappers keep what torch has told them of the device.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any

from kgate.protocol import Begin, CaseJob, End, Facts, Rung, RungDone, TensorArg
from kgate.worker import adapters, loading, pretence
from kgate.worker.adapters import Adapter, Built
from kgate.worker.architectures import ARCHITECTURES
from kgate.worker.artifacts import artifacts_of
from kgate.worker.control import Control
from kgate.worker.exports import Budget, Target
from kgate.worker.faults import Fault, foreign, line_of
from kgate.worker.inputs import allocated, build
from kgate.worker.observation import Observation
from kgate.worker.subject import Climbed, climbing, warm

# Of torch, by name: a value is asked of a tensor that has none, or the shape of a result depends on values.
VALUES_ASKED = ("DataDependentOutputException", "DynamicOutputShapeException")
# Of torch, by name: an operator that has no form for tensors without memory.
NO_SUCH_FORM = ("UnsupportedFakeTensorException", "UnsupportedOperatorException")
# In messages of torch and of the DSLs, where something reaches for the GPU itself.
REACHED_FOR = (
    *("NVIDIA driver", "CUDA driver", "libcuda", "No CUDA GPUs", "no CUDA GPUs", "CUDA library"),
    *("not linked with support for cuda", "compiled without CUDA", "requires CUDA", "requires a CUDA"),
    ".numpy() is not supported for tensor subclasses",
)
ADVICE = "name in the kernel's `compile:` a function of the same arguments that does without"
LATER = "do that when the function is called, or name in the kernel's `compile:` one of a module that does without"


def serve(control: Control) -> None:
    """Compilers are prepared first, while torch still tells them the truth."""
    warm(control.job)
    budget = Budget(control.job.output_limit_bytes)
    for position, case in enumerate(control.job.cases):
        control.say(Begin(case=case.case))
        try:
            climb(case, position, control, budget)
        except Fault as fault:
            control.say(fault.failed(case.case))
        else:
            control.say(End(case=case.case))


def climb(case: CaseJob, position: int, control: Control, budget: Budget) -> None:
    """The rungs from environment to compile, then the facts, then what was compiled. Raises Fault."""
    job = control.job

    def climbed(rung: Rung, ns: int) -> None:
        control.say(RungDone(case=case.case, rung=rung, ns=ns))

    seen = Observation(job.tree)
    try:
        with climbing("environment", climbed):
            adapter = adapters.adapter(case.dsl)
            gpu = gpu_of(job.arch)
        built = compiled(case, control, adapter, gpu, climbed)
    finally:
        seen.loaded(case)
        control.say(Facts(case=case.case, facts=dict(seen.facts)))
    climbed("compile", sum(one.compile_ns or 0 for one in built))
    target = Target(case=case.case, out=control.out, prefix=f"case{position}-compiled", budget=budget)
    for artifact in artifacts_of(case.dsl, built, target, write=job.artifacts):
        control.say(artifact)


@cache
def gpu_of(arch: str) -> AbstractContextManager[Any]:
    """Raises Fault for an architecture of which nothing is known."""
    if arch not in ARCHITECTURES:
        raise Fault("environment", "unavailable", f"no architecture {arch!r}; there are {', '.join(ARCHITECTURES)}")
    return foreign("environment", partial(pretence.put_in_place, ARCHITECTURES[arch]))


def compiled(
    case: CaseJob, control: Control, adapter: Adapter, gpu: AbstractContextManager[Any], climbed: Climbed
) -> list[Built]:
    """What one call compiles, and what importing and setup compile before it."""
    job = control.job
    with told(adapter.dry(job.arch)) as built, gpu:
        with climbing("import", climbed):
            loading.enter(job.tree)
            entry = imported(case.compile or case.entry, job.tree, adapter)
            setup = imported(case.setup, job.tree, adapter) if case.setup else None
        state = [without_gpu(case.setup, partial(setup, job.device, **case.symbols), adapter)] if setup else []
        given = arguments(case, job.device)
        call = partial(entry, *state, **given) if case.keywords else partial(entry, *state, *given.values())
        without_gpu(case.compile or case.entry, call, adapter)
    return built


def imported(entry: str, tree: str, adapter: Adapter) -> Callable[..., Any]:
    """As `loading.function_of`; a module that wants a GPU on import is nobody's fault either."""
    try:
        return loading.function_of(entry, tree, adapter.is_compile_error)
    except Fault as fault:
        raised: BaseException | None = fault
        while isinstance(raised, Fault):
            raised = raised.__context__
        if fault.reason == "import-failed" and isinstance(raised, Exception) and (reason := wanting(raised)):
            text = f"{entry.partition(':')[0]} {reason} while it is imported; {LATER}"
            raise Fault("environment", "unavailable", text, fault.detail) from None
        raise


@contextlib.contextmanager
def told(dry: AbstractContextManager[list[Built]]) -> Iterator[list[Built]]:
    """
    Within a dry run, whose own failures are no kernel's: it sits in a compiler's private parts, and is full at its end.
    """
    hooks = contextlib.ExitStack()
    built = foreign("environment", partial(hooks.enter_context, dry))
    try:
        yield built
    except BaseException:
        with contextlib.suppress(Exception):  # what stopped the case says more
            hooks.close()
        raise
    foreign("environment", hooks.close)


def arguments(case: CaseJob, device: str) -> dict[str, Any]:
    """By name, with tensors that have no memory and therefore no values."""

    def tensor(name: str, spec: TensorArg) -> Any:
        return allocated(spec, device, widen=False)

    return {name: foreign("run", partial(build, name, arg, tensor)) for name, arg in case.args.items()}


def without_gpu(entry: str, call: Callable[[], Any], adapter: Adapter) -> Any:
    """
    What the user's function returns. What it cannot do without a GPU is nobody's fault, and says what would help.
    """

    def called() -> Any:
        try:
            return call()
        except Exception as error:
            if not adapter.is_compile_error(error) and (reason := wanting(error)):
                raise Fault("environment", "unavailable", f"{entry} {reason}; {ADVICE}") from error
            raise

    return foreign("run", called, adapter.is_compile_error)


def wanting(error: Exception) -> str:
    """What of a GPU this error misses, as a verb with its object; "" if it is an error of another kind."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & set(VALUES_ASKED):
        return f"reads the values of a tensor ({getattr(error, 'func', error)})"
    if names & set(NO_SUCH_FORM):
        return f"calls an operator that has no form for tensors without memory ({line_of(error)})"
    if isinstance(error, pretence.NeedsGpu):
        return f"asks for what only a GPU can do ({error.what})"
    if any(sign in str(error) for sign in REACHED_FOR):
        return f"needs a GPU ({line_of(error)})"
    return ""
