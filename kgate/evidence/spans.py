"""
A torch.profiler trace, event by event: Chrome's JSON as torch writes it, also compressed with gzip.

Read as a stream, since traces of hundreds of MB are usual: ijson gives one event after the other in some 12 MB of
memory, 300 MB in 4 s of processor time with its C backend, and in a minute without it.
"""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import IO, Any

from kgate.errors import UsageError

Sizes = tuple[tuple[int, ...], ...]  # of the tensors among an operator's arguments, in their order

GZIP = b"\x1f\x8b"
PEEKED = 1 << 16  # bytes in which the first character of the JSON must stand
# Torch's own table leaves these out as well (torch/autograd/profiler_util.py, _filter_name).
UTILITIES = frozenset(
    (
        "[memory]",
        "[OutOfMemory]",
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    )
)
OVERHEAD = "overhead"  # of the profiler itself; Kineto writes it for process -1, whichever thread it held up
SOMEWHERE = ""  # in place of a thread
STEP, STEPS = "ProfilerStep#", "ProfilerStep*"  # torch's table has one row for all steps
TIME_LIMIT_US = 1 << 52  # 142 years: the sum of any two, in nanoseconds, is one of 64 bits
RECORD = "record one with torch.profiler and export_chrome_trace()"


class Kind(Enum):
    """What ran: on the host an operator, a named range, a call of the device's runtime, a Python frame; or a device."""

    OPERATOR = "operator"
    RANGE = "range"
    RUNTIME = "runtime"
    FRAME = "frame"
    DEVICE = "device"


# Categories of complete events ("ph": "X"), as Kineto writes them (libkineto/include/ActivityType.h).
KINDS: Mapping[str, Kind] = {
    "cpu_op": Kind.OPERATOR,
    "user_annotation": Kind.RANGE,
    "cuda_runtime": Kind.RUNTIME,
    "cuda_driver": Kind.RUNTIME,
    OVERHEAD: Kind.RUNTIME,
    "python_function": Kind.FRAME,
    "kernel": Kind.DEVICE,
    "gpu_memcpy": Kind.DEVICE,
    "gpu_memset": Kind.DEVICE,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """
    `thread` is a host thread, a device's stream, or SOMEWHERE. `external` is the number that a device's work shares
    with the operator it was started by, `correlation` the one that it shares with the runtime's call; 0 for none.
    """

    kind: Kind
    name: str
    thread: str
    start_ns: int
    end_ns: int
    external: int = 0
    correlation: int = 0
    sizes: Sizes = ()


def spans(path: Path) -> Iterator[Span]:
    """Every span of the trace, in the order of the file. Raises UsageError where it is no whole trace."""
    from ijson.common import JSONError

    try:
        with opened(path) as stream:
            for event in events(stream):
                if isinstance(event, Mapping) and (span := span_of(event)):
                    yield span
    except JSONError as error:
        raise UsageError(f"{path}: not a whole trace in Chrome's JSON ({first_line(error)}); {RECORD}") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path}: cannot be read ({reason}); name a trace that can") from error


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Whatever the file is called: gzip is known by its first two bytes."""
    with path.open("rb") as plain:
        if plain.peek(2)[:2] != GZIP:
            yield plain
            return
        with gzip.GzipFile(fileobj=plain) as inner, io.BufferedReader(inner, PEEKED) as stream:
            yield stream


def events(stream: IO[bytes]) -> Iterator[Any]:
    """Of an object with `traceEvents`, or of a list of events, the two forms of Chrome's format."""
    import ijson

    start: bytes = stream.peek(PEEKED)  # type: ignore[attr-defined]
    prefix = "item" if start.lstrip()[:1] == b"[" else "traceEvents.item"
    yield from ijson.items(stream, prefix)


def span_of(event: Mapping[str, Any]) -> Span | None:
    """
    None for what takes no time (counters, flows, names of threads), for what torch's table leaves out, and for times
    that no clock has shown.
    """
    kind = KINDS.get(str(event.get("cat"))) if event.get("ph") == "X" else None
    name = str(event.get("name"))
    if kind is None or name in UTILITIES:
        return None
    start_ns, duration_ns = nanoseconds(event.get("ts", 0)), nanoseconds(event.get("dur", 0))
    if start_ns is None or duration_ns is None:
        return None
    given = event.get("args")
    args = given if isinstance(given, Mapping) else {}
    return Span(
        kind=kind,
        name=STEPS if name.startswith(STEP) else name,
        thread=SOMEWHERE if event.get("cat") == OVERHEAD else f"{event.get('pid')}/{event.get('tid')}",
        start_ns=start_ns,
        end_ns=start_ns + duration_ns,
        external=whole(args.get("External id", 0)),
        correlation=whole(args.get("correlation", 0)),
        sizes=tuple(sizes_in(args.get("Input Dims", ()))) if kind is Kind.OPERATOR else (),
    )


def nanoseconds(microseconds: Any) -> int | None:
    """
    Exactly: ijson gives decimals, and a time since start-up in binary would be off by a nanosecond or two. 0 for what
    is no number, None beyond TIME_LIMIT_US.
    """
    if not isinstance(microseconds, int | float | Decimal):
        return 0
    return int(microseconds * 1000) if -TIME_LIMIT_US < microseconds < TIME_LIMIT_US else None


def whole(value: Any) -> int:
    """A number of an event, of 64 bits without a sign in the trace and with one in a column; 0 for anything else."""
    if not isinstance(value, int) or not 0 <= value < 1 << 64:
        return 0
    return value - (1 << 64) if value >= 1 << 63 else value


def sizes_in(dims: Any) -> Iterator[tuple[int, ...]]:
    """Of each tensor; of a list of tensors each. An argument that is no tensor has [], and so has a scalar tensor."""
    for argument in dims if isinstance(dims, list) else ():
        if isinstance(argument, list) and argument:
            if isinstance(argument[0], int):
                yield tuple(argument)
            else:
                yield from sizes_in(argument)


def first_line(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return " ".join(said.split())[:80]
