"""
Job and Reply: all that gate and worker say to each other. Standard library only.

With `wire` below it, this is all of kgate that the worker imports outside its own room. Over 300 lines, since a reader
wants every message in one place.

A control directory belongs to one worker process:

    job.json        in   one Job
    tables/*.bin    in   little-endian look-up tables for drawing inputs (see Fill)
    held/*.bin      in   answers and what is expected, for mode "compare": as in out/
    replies.jsonl   out  one Reply a line, in order
    out/*.bin       out  raw little-endian element bytes of outputs, C order, no header
    log.txt         out  stdout and stderr
    sock            in   unix socket of the gate's, for mode "lockstep" (Requests down, Answers up, a JSON line each)

Sockets are reached by `address`, since the path of a folder may be longer than that of a socket.

A zygote is started once per arm with a socket of its own and answers `Fork` with `Forked`, later `Exited`: the
zygote listens and the gate connects, while in lockstep the gate listens and the worker connects once it can answer a
Prepare. A forked child calls setsid before anything else and writes to its own log.txt.
`decode` is strict: an unknown kind, a missing or extra field, or a wrong type is a ProtocolError. NaN and infinities
are refused.
"""

import dataclasses
import json
import os
import typing
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union

from kgate.wire import ProtocolError, build, parsed

VERSION = 1
JOB, REPLIES, OUT, LOG, TABLES, SOCKET = "job.json", "replies.jsonl", "out", "log.txt", "tables", "sock"
HELD = "held"
ANSWER = "answer"  # the trial of a comparison that is no wrong answer on purpose
LINE_LIMIT = 1 << 20  # bytes of one JSON line, both ways; a longer one is a broken reply
SPOILED = 70  # exit code between two cases: the device did not survive the last one, the rest needs a new process


# How a CUDA device is timed: one call at a time; calls over rotated inputs, in a graph or, where none can be captured,
# queued behind each other.
SINGLE, GRAPH, BATCH = CUDA_TIMERS = ("cuda-events-flush", "cuda-graph-rotated", "cuda-events-batch")

Rung = Literal["environment", "import", "compile", "run", "contract", "correctness", "fallback", "path", "latency"]
RUNGS: tuple[Rung, ...] = typing.get_args(Rung)
Mode = Literal["probe", "describe", "outputs", "warm", "compile", "lockstep", "drill", "compare"]
Yardstick = Literal["peaks", "spin"]
# When else a case's function is called on the same arguments: once more; where memory that nobody has written holds
# NaN, or a large finite pattern; and over and over.
Moment = Literal["second call", "memory of NaN", "memory of 1e36", "repeats"]
MOMENTS: tuple[Moment, ...] = typing.get_args(Moment)
ArtifactKind = Literal["source", "ttir", "ttgir", "llir", "tileir", "ptx", "sass", "cubin"]
Reason = Literal[
    "unavailable",  # the DSL, a package or the device is not here; the kernel is not to blame
    "import-failed",  # the module raised while it was imported
    "function-missing",  # the module has no such function
    "outside-tree",  # the module was loaded from outside its arm's tree
    "compile-failed",
    "raised",
    "wrong-type",  # returned something that is no tensor, or nothing at all
    "wrong-signature",  # does not take the arguments that the manifest lists
    "narrowed",  # the float64 reference was computed in a lower precision, or the user's own answers in 16 bits
    "out-of-memory",
    "hung",  # passed its deadline; said by the gate
    "died",  # ended by a signal; said by the gate
    "exited",  # ended the process itself; said by the gate
    "bad-reply",  # what it wrote is not of the protocol; said by the gate
]


Arrangement = Literal["sorted", "distinct", "rising", "pages", "offsets", "step"]
ARRANGED: tuple[Arrangement, ...] = typing.get_args(Arrangement)


@dataclass(frozen=True, kw_only=True)
class Fill:
    """
    How the values of a tensor are drawn, before `scale` and `zeros`; u is a uint32 of the counter-based generator.

    normal    a + b * table[u >> 16], table "normal": 65,536 float64 quantiles of N(0, 1)
    uniform   a + (b - a) * (u >> 8) * 2**-24
    integers  a + floor(u * (b - a) / 2**32), at most 2**32 apart
    mask      u < a * 2**32, as 1 or 0
    constant  a
    zipf      index of the first entry of `table` above u; table: uint32 cumulative weights of k**-a, k = 1 … b

    Those of ARRANGED are of whole rows, which run along the last dimension, and know no `scale` and no `zeros`:

    sorted    integers from 0 up to b, rising
    distinct  as many of the integers from 0 up to b, no two the same; `rising` puts them in order
    pages     as distinct, of the whole tensor
    offsets   0 first, b last, between them integers from 0 through b, rising
    step      0 up to the element a of a row, from there on b
    """

    kind: Literal["normal", "uniform", "integers", "mask", "constant", "zipf"] | Arrangement
    a: float = 0.0
    b: float = 0.0
    table: str = ""  # file name below tables/, for normal and zipf


@dataclass(frozen=True, kw_only=True)
class TensorArg:
    """One input tensor: what to allocate, how to fill it. `stream` keys the generator, so equal specs can differ."""

    shape: tuple[int, ...]
    dtype: str  # torch's name without "torch."
    fill: Fill
    stream: int  # 64 bits, unsigned
    strides: tuple[int, ...] | None = None  # in elements; None is C order
    scale: float = 1.0
    zeros: float = 0.0  # share of elements set to zero
    fixed: bool = False  # never refreshed between samples (integers, masks, values with a role)
    role: str = ""  # of the manifest: what whole numbers mean


@dataclass(frozen=True, kw_only=True)
class ValueArg:
    value: bool | int | float | str | None


@dataclass(frozen=True, kw_only=True)
class ListArg:
    items: "tuple[Arg, ...]"


@dataclass(frozen=True, kw_only=True)
class MapArg:
    items: "dict[str, Arg]"


Arg = Union[TensorArg, ValueArg, ListArg, MapArg]  # noqa: UP007  resolved by name at run time on 3.10 as well


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Functions, as `module:function`, whose calls are counted during one untimed call: which path ran."""

    custom: str
    fallback: str


@dataclass(frozen=True, kw_only=True)
class Dose:
    """
    A slowdown put in on purpose, of `kgate inject`.

    more-work   the function once more, on the first `amount` rows of all arguments that have as many as the largest
    extra-load  a copy of the first `amount` bytes of the largest argument
    misaligned  contiguous arguments begin `amount` elements behind where memory was allocated
    host-delay  the host waits `amount` ns in the call
    """

    way: Literal["more-work", "extra-load", "misaligned", "host-delay"]
    amount: int


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A tensor's bytes in C order, in a file below held/. For the gate, until the job is written: its absolute path."""

    file: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """ANSWER, or in words a wrong one that is tried: "of zeros"."""

    name: str
    outputs: tuple[Stored, ...]


@dataclass(frozen=True, kw_only=True)
class Held:
    """Answers to one question, and what the reference says."""

    expected: tuple[Stored, ...]
    trials: tuple[Trial, ...]


@dataclass(frozen=True, kw_only=True)
class CaseJob:
    """One case for one arm."""

    case: str  # the case's name; also what every reply about it carries
    dsl: str  # chooses the adapter
    entry: str  # module:function to call
    args: dict[str, Arg]  # in the order written
    keywords: bool  # pass args by name
    symbols: dict[str, int | float | str]
    direction: Literal["forward", "backward"] = "forward"  # backward: a call's outputs are its gradients
    mutates: tuple[str, ...] = ()
    setup: str = ""
    reset: str = ""
    steps: int = 1
    seed: int = 0  # 0: values as drawn; else the refresh seed of a timed sample, to re-create it
    widen: bool = False  # floating inputs to float64, under the operator watch
    cast: bool = False  # the reference is the user's own: inputs as they are; the operator watch reports, never refuses
    watch: Watch | None = None
    context: tuple[str, str] | None = None  # (module:function, value): entered around every call
    compile: str = ""  # module:function called in place of `entry` where there is no device to run on
    device_kernels: tuple[str, ...] = ()
    moments: tuple[str, ...] = ()  # of MOMENTS: when else it is called
    fallback: str = ""  # module:function that it may not call, counted in its second call
    fenced: bool = False  # on a CPU: inputs lie before memory that no access survives
    packages: tuple[str, ...] = ()  # drill only: those that a condition takes away or breaks
    off: tuple[str, str] | None = None  # drill only: variable and value that turn the custom path off
    spare: "CaseJob | None" = None  # drill only: the same of other shapes, called besides and never judged
    # Above 0: the answer alone is wanted, and none once such cases of its kernel have taken so long in this process.
    brief_s: float = 0.0
    timeout_s: float = 120.0
    picks: dict[str, str] = dataclasses.field(default_factory=dict)  # that the DSL's autotuners are to take
    dose: Dose | None = None
    held: Held | None = None  # compare only
    # module:function, a context manager that is entered around every call with this choice of a configuration.
    config: str = ""
    choice: dict[str, bool | int | float | str | None] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Job:
    """
    One process of one arm. Cases run in the order given; the gate draws that order.

    describe  what each of `entries`, functions of the product, says of its own paths: a Described or Failed for each
    outputs   the cases' answers
    warm      the same calls, which fill the arm's compile caches and tell what the compiler took; no outputs
    compile   the same calls for the GPU `arch`, which need not be here: kernels are compiled and none is launched
    drill     the dispatch's answers under `condition`, all cases of one kernel (see kgate.worker.conditions)
    compare   what the user's function, the entry, says of answers (see kgate.worker.holding)
    """

    mode: Mode
    arm: str
    tree: str  # absolute; first on sys.path, with `paths` below it
    device: str  # "cpu" or "cuda:N"
    cases: tuple[CaseJob, ...] = ()
    env: dict[str, str] = dataclasses.field(default_factory=dict)  # set before anything of the user's is imported
    socket: str = ""  # lockstep only: where the gate listens
    arch: str = ""  # compile only: "sm_90"
    condition: str = ""  # drill only: a name of kgate.worker.conditions
    measure: tuple[Yardstick, ...] = ()  # probe only: what of the device to measure, for `Identity`
    entries: tuple[str, ...] = ()  # describe only: module:function
    artifacts: bool = False  # write what the compilers made below out/, besides telling of it
    output_limit_bytes: int = 1 << 34  # all exported outputs of this process together
    version: int = VERSION


# --- replies.jsonl. Hello; then Identity; or for each entry Described or Failed; or per case Begin, RungDone and Facts
# as they come, Artifact…, Output…, End or Failed; Bye last.


@dataclass(frozen=True, kw_only=True)
class Hello:
    pid: int
    version: int


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Probe only: the three classes of the fingerprint, and what is not here with its reason."""

    must_match: dict[str, str]
    may_drift: dict[str, float]
    information: dict[str, str]
    adapters: dict[str, str]  # dsl -> "" if available, else the reason
    devices: dict[str, str]  # device kind -> "" if available, else the reason
    peaks: dict[str, float] = dataclasses.field(default_factory=dict)  # per second: the most the device was seen to do
    # Of a quiet kernel: "call-ns" for one that waits for nothing, "ns-per-cycle" of its wait.
    spin: dict[str, float] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Described:
    """
    Describe only: what a dispatch function says of itself in `__kgate__`. An entry that cannot be loaded is Failed.

    Without `custom` it says nothing that this version can read; `type_name` is then what it is, mostly "function".
    """

    entry: str
    type_name: str
    custom: str = ""  # module:function, as is the fallback
    fallback: str = ""
    switch: dict[str, str] = dataclasses.field(default_factory=dict)  # as in the manifest
    packages: tuple[str, ...] = ()  # that the custom path needs, as they are imported


@dataclass(frozen=True, kw_only=True)
class Begin:
    case: str


@dataclass(frozen=True, kw_only=True)
class RungDone:
    case: str
    rung: Rung
    ns: int


@dataclass(frozen=True, kw_only=True)
class Facts:
    """
    What the worker saw of one case; evidence, never a verdict.

    keys used: input-digests (name -> sha256 of the bytes), inputs-changed (names), reached-custom and reached-fallback
    (counts), device-kernels (names), device-trace (launches, copies and fills in order), kernel-launches, narrowed-by
    (operators), reference-dtype (names, one an output, of a user's own reference), loaded-files and
    opened-files (path -> sha256; the second of what their code has opened to read, for which see worker.openings),
    peak-bytes, workspace-bytes, compiles, tuned (autotuner and key -> its pick, of the process so far), spaces (keys
    that this case was the first to tune -> sha256 of all configurations that they had, in order), configurations (of
    the same, a line each: key, tab, configuration), logged (bool), note

    Of the calls at other moments: moments (those that were made), called-fallback (a count, of the second call),
    repeats and repeats-differ (calls, and how many of them gave other bits), shared-with-input (outputs, each with the
    input whose memory it lies in), output-reused (outputs that a later call wrote over), wrote-outside (inputs beside
    whose elements something was written), ignores (inputs whose values, changed in place, changed no bit of any output;
    ignores-in-zeros where every output is 0 both times), heeds (those that changed it by more than rounding),
    surroundings (what the process shares and the case has changed), output-types (those that are not torch.Tensor),
    rows (of a batch whose last row was asked for alone), rows-apart (outputs that then had another last row), stream
    (whether it was called on a stream of the caller's), stream-apart (outputs that were others there), expanded-apart
    (gradients that are others under one number for all elements than under the same, written out)

    Of a drill: reached-custom and reached-fallback of the call that is judged; logged-by, who has spoken since the
    process began (loggers, "warnings", "print"); packages-loaded, of the case's `packages`, those that something has
    imported; versions (name -> version, as the product saw them); reached-custom-before and reached-custom-again, of a
    good call before and after it, and reached-custom-other, of one of other shapes after that; failed-backward, what
    was made to fail within the backward pass (functions, packages); not-met, why the condition did not come about;
    not-noticed, why it seems that the product has not met it

    A call is `steps` calls in a row. Of custom and fallback alone, and of a call after the first:

    kernel-launches   without copies and fills; told where device-kernels is
    peak-bytes        what the inputs (with the worker's own copy of them) and setup's state hold, and the most that the
                      call holds on top of what was held when it began
    workspace-bytes   the most that is held within the call, less what is held at its end, its outputs among it

    Of a comparison: holds (names of trials), figures (name -> value, of ANSWER) and said

    Memory is the device's, as torch's allocator counts it; a CPU's is not told. What a first call keeps for later ones,
    such as a library's workspace, is in neither: in a process of several cases it is whose call came first.
    """

    case: str
    facts: dict[str, str | int | float | bool | list[str] | dict[str, str]]


CONFIGURATIONS = 1000  # told of one case at most; a list that is longer is left out
PICKS, PICK_LETTERS = 256, 500  # of autotuners: the latest, and of each its name and its configuration, at most
ARTIFACTS = 64  # told of one case at most
NAME_LETTERS, CONFIG_ENTRIES, CONFIG_LETTERS, NOTE_LETTERS = 500, 64, 200, 1000  # of one artifact, at most; of a note


@dataclass(frozen=True, kw_only=True)
class ArtifactFile:
    """`file` is a plain name below out/, of exactly this size."""

    kind: ArtifactKind
    file: str
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """
    A device kernel that a case used, as its compiler made it. Each variant once a case, in the order first used.

    `code_sha256` is of the machine code and its constants, without paths, dates and debug sections, so that the same
    code has the same hash wherever it was compiled. None and "" where it cannot be told; `note` says why.
    """

    case: str
    index: int
    kernel: str  # the device kernel's name
    dsl: str
    arch: str  # "sm_90a"
    code_sha256: str = ""
    registers: int | None = None  # per thread
    shared_bytes: int | None = None  # per block, static and dynamic
    local_bytes: int | None = None  # per thread: spilled registers, and arrays that found no room in registers
    config: dict[str, str] = dataclasses.field(default_factory=dict)  # tile sizes, warps, stages, compiler options
    compile_ns: int | None = None  # of this variant; None where it came from a cache
    files: tuple[ArtifactFile, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Output:
    """`file` is a plain name below out/, its bytes in C order; its size is exactly that of `shape` and `dtype`."""

    case: str
    index: int
    file: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # of the tensor as returned, in elements
    device: str
    moment: str = ""  # of MOMENTS, where the call gave other bits than the first


@dataclass(frozen=True, kw_only=True)
class Failed:
    case: str
    rung: Rung
    reason: Reason
    text: str  # one line: type and message
    detail: str = ""  # end of the traceback
    kinds: tuple[str, ...] = ()  # the exception's class and those that it is made of, by name, nearest first


@dataclass(frozen=True, kw_only=True)
class End:
    case: str


@dataclass(frozen=True, kw_only=True)
class Bye:
    cases: int


Reply = Union[Hello, Identity, Described, Begin, RungDone, Facts, Artifact, Output, Failed, End, Bye]  # noqa: UP007

# --- lockstep socket: one Request, one Answer.


@dataclass(frozen=True, kw_only=True)
class Prepare:
    """Import, compile, draw inputs, warm up. Other arms may do the same meanwhile. Answer: Ready or Failed."""

    case: str
    warmups: int


@dataclass(frozen=True, kw_only=True)
class WarmUp:
    """More calls of a prepared case, while no other arm works, so that their median tells. Answer: Ready or Failed."""

    case: str
    calls: int


@dataclass(frozen=True, kw_only=True)
class Arrange:
    """
    From now on take a prepared case's samples by `method`. Other arms may do the same meanwhile. Answer: Arranged or
    Failed.

    A method that rotates makes `calls` calls a sample, each on a set of inputs of its own, which `seed_of_call` writes.
    """

    case: str
    method: str
    calls: int


@dataclass(frozen=True, kw_only=True)
class TimeBlock:
    """One timed sample per seed; each sample sees inputs refreshed by its seed. Answer: Times or Failed."""

    case: str
    seeds: tuple[int, ...]
    batch: int = 1  # calls per sample; the answer is divided by it
    keep_bytes: int = 0  # keep the samples' outputs, newest first, up to this size, for Export


@dataclass(frozen=True, kw_only=True)
class Export:
    """Write the outputs of the timed call whose inputs were of this seed, if kept. Answer: Exported or Failed."""

    case: str
    seed: int
    prefix: str  # of the file names below out/


@dataclass(frozen=True, kw_only=True)
class Release:
    """Forget this case's tensors. Answer: Ready."""

    case: str
    everything: bool = False  # and give all memory of the device back that is not in use


@dataclass(frozen=True, kw_only=True)
class Quit:
    """Answer: none; the process ends."""


Request = Union[Prepare, WarmUp, Arrange, TimeBlock, Export, Release, Quit]  # noqa: UP007


@dataclass(frozen=True, kw_only=True)
class Ready:
    case: str
    estimate_ns: int  # median of the warm-up calls
    output_bytes: int
    input_bytes: int = 0  # of all tensor arguments


@dataclass(frozen=True, kw_only=True)
class Arranged:
    """`problem`: why this arm cannot be timed so, as a clause; "" if it can."""

    case: str
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Times:
    case: str
    samples_ns: tuple[float, ...]  # device span per call, in the order of the seeds
    call_ns: tuple[float, ...]  # host time of the call itself as the caller pays it
    wall_ns: int  # the whole block by the worker's monotonic clock
    method: str  # "cpu-monotonic" or of CUDA_TIMERS; times of two methods are never compared
    notes: dict[str, str | int | float]  # clocks, throttle reasons, temperature, resolution-ns (of one call) …


@dataclass(frozen=True, kw_only=True)
class Exported:
    case: str
    outputs: tuple[Output, ...]


Answer = Union[Ready, Arranged, Times, Exported, Failed]  # noqa: UP007

# --- zygote socket.


@dataclass(frozen=True, kw_only=True)
class Walls:
    """
    What a confined process sees and may write, as absolute paths: see worker/confinement.py. All else is read-only.

    hidden    folders that are empty to it, but for what is shown or may be written in them
    passing   folders whose changes it sees alone, and which go with it
    masked    sockets that it cannot reach
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    scratch_bytes: int  # of memory, for what passes and for /dev/shm, each
    file_bytes: int
    processes: int  # and threads

    @property
    def words(self) -> tuple[str, ...]:
        """As `name=value`, one value a word."""
        pairs = ((name, value if isinstance(value, tuple) else (value,)) for name, value in vars(self).items())
        return tuple(f"{name}={value}" for name, values in pairs for value in values)


@dataclass(frozen=True, kw_only=True)
class Fork:
    """
    Start a child on this control directory; it leads a process group of its own. Within `walls` it waits for a cell of
    its own, in which the work is done, and its pid is the zygote's number for it.
    """

    control: str
    walls: Walls | None = None


@dataclass(frozen=True, kw_only=True)
class Forked:
    control: str
    pid: int


@dataclass(frozen=True, kw_only=True)
class Exited:
    control: str
    status: int  # exit code, or minus the signal


Message = Union[Reply, Request, Answer, Fork, Forked, Exited]  # noqa: UP007
KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *typing.get_args(Reply),
        *(Prepare, WarmUp, Arrange, TimeBlock, Export, Release, Quit),
        *(Ready, Arranged, Times, Exported),
        *(Fork, Forked, Exited),
    )
}


def tensors_within(args: Iterable[Arg]) -> Iterator[TensorArg]:
    """Those that are arguments or lie inside one, however deep, in the order written."""
    for arg in args:
        match arg:
            case TensorArg():
                yield arg
            case ListArg():
                yield from tensors_within(arg.items)
            case MapArg():
                yield from tensors_within(arg.items.values())


def seed_of_call(seed: int, call: int) -> int:
    """
    The refresh seed of a rotated sample's call, counted from 0: the sample's own, and others that are all different.

    An odd factor permutes the numbers modulo 2**32; this one is 2**32 over the golden ratio (Knuth, TAOCP 3, 6.4).
    """
    return (seed + call * 0x9E3779B1) % 2**32


@contextmanager
def address(socket: Path) -> Iterator[str]:
    """A name for it while this is open, of no more than the 108 bytes of an address (unix(7)), wherever it lies."""
    folder = os.open(socket.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{socket.name}"
    finally:
        os.close(folder)


def encode(message: Message) -> bytes:
    """One line with its newline. Raises ProtocolError if it is longer than LINE_LIMIT or holds NaN."""
    try:
        text = json.dumps({"kind": type(message).__name__, **dataclasses.asdict(message)}, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ProtocolError(f"{type(message).__name__}: {error}") from error
    line = text.encode("ascii") + b"\n"
    if len(line) > LINE_LIMIT:
        raise ProtocolError(f"{type(message).__name__}: {len(line)} bytes, more than {LINE_LIMIT}")
    return line


def decode(line: bytes) -> Any:
    """The message of one line; raises ProtocolError."""
    body = parsed(line)
    kind = KINDS.get(str(body.pop("kind", None)))
    if kind is None:
        raise ProtocolError(f"no such kind in {line[:80]!r}")
    return build(kind, body, kind.__name__)


def encode_job(job: Job) -> bytes:
    return json.dumps(dataclasses.asdict(job), allow_nan=False).encode("ascii")


def decode_job(data: bytes) -> Job:
    """Raises ProtocolError, also for a Job of another version."""
    job = build(Job, parsed(data), "job")
    if job.version != VERSION:
        raise ProtocolError(f"job: version {job.version}, this worker speaks {VERSION}")
    return job
