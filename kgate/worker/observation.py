"""
What is noted of a case: the first call, whose result counts, and the calls after it that only gather facts.

Keys of `facts` are listed at protocol.Facts.
"""

import contextlib
import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from kgate.protocol import CONFIGURATIONS, NOTE_LETTERS, PICK_LETTERS, PICKS, CaseJob, Rung
from kgate.worker import openings, origins
from kgate.worker.adapters import Built, Compiles
from kgate.worker.devices import Launched
from kgate.worker.faults import Fault, foreign, line_of
from kgate.worker.loading import function_of
from kgate.worker.subject import Subject
from kgate.worker.watches import CallCount, counted, is_narrow, logging_watched, operators_watched, tensors_in

Climbed = Callable[[Rung, int], None]
COARSE_BYTES = 2  # bfloat16 and float16


class Observation:
    """The facts so far of one case; they are reported also when it fails half-way."""

    def __init__(self, tree: str) -> None:
        openings.watch(tree)
        self.tree = tree
        self.before = origins.present(tree)
        self.facts: dict[str, str | int | float | bool | list[str] | dict[str, str]] = {}
        self.built: list[Built] = []
        self.variables: dict[str, str] = {}  # of the process, before the case's first call

    def note(self, text: str) -> None:
        self.facts["note"] = "; ".join(filter(None, (str(self.facts.get("note", "")), text)))[:NOTE_LETTERS]

    def loaded(self, case: CaseJob) -> None:
        loaded = origins.files_of(case, self.tree, self.before)
        self.facts["loaded-files"] = loaded
        self.facts["opened-files"] = openings.files_of(loaded, self.tree)


def first_call(subject: Subject, seen: Observation, climbed: Climbed) -> tuple[Any, ...]:
    """The outputs of the case. Ends the rungs compile and run; the second is without the time of the first."""
    before = subject.inputs.digests()
    seen.facts["input-digests"] = before
    compiled, tuned = subject.ground.adapter.compiles(), frozenset(picks_of(subject))
    with noticed(subject, seen), logging_watched() as spoken:
        began_ns = time.perf_counter_ns()
        returned = called(subject, seen)
        wall_ns = time.perf_counter_ns() - began_ns
    seen.facts["logged"] = bool(spoken)
    compile_ns = count_compiles(subject, seen, compiled)
    climbed("compile", compile_ns)
    climbed("run", max(0, wall_ns - compile_ns))
    note_effects(subject, seen, before)
    note_picks(subject, seen, tuned)
    return foreign("run", partial(subject.outputs, returned))


@contextlib.contextmanager
def noticed(subject: Subject, seen: Observation) -> Iterator[None]:
    """
    Gather what the DSL's compiler made for the calls within; a drill's are head's own, and are told there.

    The hooks sit in a compiler's private parts. One that does not fit its version costs this evidence, not the case.
    """
    if subject.case.watch is not None:
        yield
        return
    hooks = contextlib.ExitStack()
    try:
        seen.built = hooks.enter_context(subject.ground.adapter.used())
    except Exception as error:  # noqa: BLE001  see above
        seen.note(f"what was compiled cannot be told: {line_of(error)}")
    try:
        yield
    finally:
        try:
            hooks.close()
        except Exception as error:  # noqa: BLE001  see above
            seen.note(f"what was compiled cannot be told: {line_of(error)}")


def called(subject: Subject, seen: Observation) -> Any:
    """The call that counts, under the watch that its case asks for."""
    if subject.case.widen:
        return narrowing_refused(subject, seen)
    return coarseness_refused(subject, seen) if subject.case.cast else subject.again("run")


def count_compiles(subject: Subject, seen: Observation, before: Compiles | None) -> int:
    """ns that the DSL's compiler took within the first call."""
    after = subject.ground.adapter.compiles()
    if before is None or after is None:
        return 0
    within = after.since(before)
    seen.facts["compiles"] = within.count
    return within.ns


def note_effects(subject: Subject, seen: Observation, before: dict[str, str]) -> None:
    mutable = subject.inputs.named(subject.case.mutates)
    changed = partial(subject.inputs.changed, before, subject.case.seed, mutable)
    seen.facts["inputs-changed"] = foreign("run", changed)


def picks_of(subject: Subject) -> Mapping[str, str]:
    """Nothing where they cannot be told, of which `note_picks` speaks."""
    with contextlib.suppress(Exception):
        return subject.ground.adapter.tuned()
    return {}


def note_picks(subject: Subject, seen: Observation, before: Collection[str] = ()) -> None:
    """
    `before`: what had been tuned before this case's call, of which no choice is told again. As with `noticed`, what
    cannot be told costs this evidence alone.
    """
    try:
        picks = dict(subject.ground.adapter.tuned())
        spaces = {key: list(listed) for key, listed in subject.ground.adapter.spaces().items()}
    except Exception as error:  # noqa: BLE001  see above
        seen.note(f"what autotuners picked cannot be told: {line_of(error)}")
        return
    short = {name: pick for name, pick in picks.items() if max(len(name), len(pick)) <= PICK_LETTERS}
    if short:
        seen.facts["tuned"] = kept = dict(list(short.items())[-PICKS:])
        note_spaces(seen, {key: listed for key, listed in spaces.items() if key in kept and key not in before})


def note_spaces(seen: Observation, spaces: Mapping[str, Sequence[str]]) -> None:
    """What the picks were made from: two commits whose tuners had the same choice can be given the same pick."""
    seen.facts["spaces"] = {
        key: hashlib.sha256("\n".join(listed).encode()).hexdigest() for key, listed in spaces.items()
    }
    lines = [f"{key}\t{text}" for key, listed in spaces.items() for text in listed]
    if len(lines) <= CONFIGURATIONS and all(len(line) <= 2 * PICK_LETTERS for line in lines):
        seen.facts["configurations"] = lines


def narrowing_refused(subject: Subject, seen: Observation) -> Any:
    """
    The reference's call, proved to be in float64: every operator is watched, and the result looked at.

    The result alone would not do, since a detour through float32 may end in float64 again; nor would the operators,
    since a constant of a lower precision may come out without having met an input.
    """
    with operators_watched() as narrowing:
        returned = subject.again("run")
    if narrowing:
        seen.facts["narrowed-by"] = narrowing[:50]
        text = f"operators gave back less than the float64 that they were given: {', '.join(narrowing[:5])}"
        raise Fault("run", "narrowed", f"{text}; declare a `reference:`")
    for tensor in tensors_in(returned):
        if is_narrow(tensor):
            text = f"the result of float64 inputs is {str(tensor.dtype).removeprefix('torch.')}; declare a `reference:`"
            raise Fault("run", "narrowed", text)
    return returned


def coarseness_refused(subject: Subject, seen: Observation) -> Any:
    """
    The call of a user's own reference. What narrows on the way is only told; an answer in 16 bits is refused.

    Eight bits and fewer are codes that a kernel may have to meet exactly.
    """
    with operators_watched() as narrowing:
        returned = subject.again("run")
    dtypes = [t.dtype for t in tensors_in(returned)]
    seen.facts["narrowed-by"] = narrowing[:50]
    seen.facts["reference-dtype"] = [str(dtype).removeprefix("torch.") for dtype in dtypes]
    for dtype in dtypes:
        if dtype.is_floating_point and dtype.itemsize == COARSE_BYTES:
            text = f"the reference answers in {str(dtype).removeprefix('torch.')}, no finer than a kernel would"
            raise Fault("run", "narrowed", f"{text}; let it compute and return float64")
    return returned


def more_calls(subject: Subject, seen: Observation, tree: str) -> None:
    """Facts that need a call of their own. A call that fails now is a Fault of rung "path"."""
    if subject.case.watch is not None:
        watch_path(subject, seen, tree)
    elif subject.held_bytes is not None and not subject.case.widen and not subject.case.cast:
        seen.facts.update(foreign("path", partial(weighed, subject, subject.held_bytes)))
    # Only where they are proof of something: the profiler's start took 6 s of a process on an H200, then 6 ms a call.
    if subject.case.device_kernels:
        name_kernels(subject, seen)


def weighed(subject: Subject, held_bytes: int) -> dict[str, int]:
    """The facts about memory, of one call more."""
    device, name = subject.ground.device, subject.ground.device_name
    subject.ground.enter("path", partial(subject.ready, subject.case.seed))
    before_bytes = device.held_bytes(name) or 0
    device.forget_peak(name)
    with subject.entered():
        returned = subject.ground.enter("path", subject.call)
    peak_bytes, after_bytes = device.peak_bytes(name) or 0, device.held_bytes(name) or 0
    del returned  # not before its memory has been counted
    return {
        "peak-bytes": max(0, held_bytes) + peak_bytes - before_bytes,
        "workspace-bytes": peak_bytes - after_bytes,
    }


def name_kernels(subject: Subject, seen: Observation) -> None:
    device, name = subject.ground.device, subject.ground.device_name
    subject.ground.enter("path", partial(subject.ready, subject.case.seed))

    def profiled() -> Launched | None:
        with subject.entered():
            return device.kernels(name, partial(subject.ground.enter, "path", subject.call))

    try:
        launched = foreign("environment", profiled)
    except Fault as fault:
        if fault.rung != "environment":
            raise
        # The profiler's failure, and not the kernel's, whose own carries the rung "path".
        seen.note(f"device kernels cannot be named: {fault.text}")
        return
    if launched is not None:
        seen.facts["device-kernels"] = launched.names
        seen.facts["kernel-launches"] = launched.launches
        if launched.trace:
            seen.facts["device-trace"] = launched.trace


def watch_path(subject: Subject, seen: Observation, tree: str) -> None:
    """Which of the two functions one call reaches, and how often."""
    counts = {role: count for role, entry in roles(subject) if (count := watchable(role, entry, seen, tree))}
    if len({id(c.code or c.function) for c in counts.values()}) < len(counts):
        seen.note("custom and fallback are the same code and cannot be told apart")
        counts = {}
    with counted(*counts.values()) if counts else contextlib.nullcontext():
        subject.again("path")
    for role, count in counts.items():
        seen.facts[f"reached-{role}"] = count.calls


def roles(subject: Subject) -> tuple[tuple[str, str], ...]:
    watch = subject.case.watch
    pairs = () if watch is None else (("custom", watch.custom), ("fallback", watch.fallback))
    return tuple((role, entry) for role, entry in pairs if entry)


def watchable(role: str, entry: str, seen: Observation, tree: str) -> CallCount | None:
    """None, with a note, where the function is not there (a drill may have hidden its DSL) or has no Python code."""
    try:
        count = CallCount(function_of(entry, tree))
    except Fault as fault:
        seen.note(f"{role} cannot be watched: {fault.text}")
        return None
    if not count.watchable:
        seen.note(f"{role} cannot be watched: {entry} has no Python code of its own")
        return None
    return count
