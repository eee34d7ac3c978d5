"""What the user declares: the manifest as values."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum
from pathlib import Path

from kgate.model.days import passed
from kgate.protocol import Arg, tensors_within

# Every rule there is or will be, in the order of the product's text; what has no module yet is known by name.
RULE_NAMES = (
    "does-not-run",
    "contract-broken",
    "wrong-result",
    "nondeterministic",
    "no-reference",
    "check-too-loose",
    "path-not-taken",
    "fallback-missing",
    "fallback-wrong",
    "fallback-untested",
    "fallback-raises",
    "fallback-silent",
    "fallback-latched",
    "switch-without-effect",
    "owner-missing",
    "owner-mismatch",
    "owner-cannot-act",
    "kernel-unlisted",
    "no-workloads",
    "slower-than-base",
    "slower-than-fallback",
    "slower-than-baseline",
    "less-exact-than-baseline",
    "unsteady",
    "grown",
    "not-tuned-here",
    "not-measured",
    "instrument-failed",
    "no-baseline",
    "gate-loosened",
    "evidence-missing",
    "debt-expired",
)


# Of devices; of one kind are all GPUs of CUDA, whatever their architecture.
DEVICE_KINDS = ("cpu", "cuda")
FALLBACK_WORD = "fallback"  # in place of an exception's name: what is refused gets the fallback's answer


@dataclass(frozen=True, kw_only=True)
class Place:
    """A line of a file, for messages and annotations; `path` is relative to the git root."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Switch:
    """How the custom path is turned off: a variable, or a context manager `module:function` called with the value."""

    env: str = ""
    context: str = ""
    custom: str = "1"
    fallback: str = "0"
    read: str = "import"  # or "call"


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """Of one dtype, by hand; a field left None is not asked for. psnr in dB."""

    rtol: float | None = None
    atol: float | None = None
    psnr: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """What dispatch refuses: what fits the expression `when`. `ending`: an exception's name, or FALLBACK_WORD."""

    when: str
    ending: str

    @property
    def raises(self) -> bool:
        return self.ending != FALLBACK_WORD


Choice = Mapping[str, bool | int | float | str | None]


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The configurations that a kernel may be given: `config` is a context manager, called with one choice."""

    config: str
    space: Mapping[str, tuple[bool | int | float | str | None, ...]]

    @property
    def count(self) -> int:
        return math.prod(map(len, self.space.values()))

    def choices(self) -> Iterator[Choice]:
        for values in itertools.product(*self.space.values()):
            yield dict(zip(self.space, values, strict=True))


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One set of arguments, resolved to numbers: shapes, strides and bounds hold no symbols any more."""

    name: str
    args: Mapping[str, Arg]
    symbols: Mapping[str, int | float | str]
    targets: tuple[str, ...]
    tolerance: Mapping[str, Tolerance]  # by dtype; "" holds for any; "cpu/float32" and "cpu/" hold on that target
    weight: float = 1.0  # 0: a test, checked and never timed
    source: str = ""
    flops: float | None = None
    moved_bytes: float | None = None
    place: Place
    refusal: Refusal | None = None  # the first of its kernel's that it fits: it is no case, and has to end so
    # With other symbols; raises ManifestError where they make no sense. None where it is no workload of a manifest.
    resized: "Callable[[Mapping[str, int | float | str]], Workload] | None" = field(
        default=None, compare=False, repr=False
    )

    @property
    def empty(self) -> bool:
        """Whether an argument has no element: what is left to do, as a gradient of zeros, needs no own kernel."""
        return any(not math.prod(tensor.shape) for tensor in tensors_within(self.args.values()))

    def tolerance_of(self, dtype: str, targets: Sequence[str]) -> Tolerance | None:
        """By hand for outputs of `dtype`; the names of the device ("sm_90", "cuda") stand most particular first."""
        keys = (*(f"{target}/" + end for target in targets for end in (dtype, "")), dtype, "")
        return next((self.tolerance[key] for key in keys if key in self.tolerance), None)


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """
    A named entry of the manifest. `targets` and `tolerance` live on its workloads, which inherit them.

    `custom` and `fallback` are "" where the manifest leaves them to `dispatch`, until that was asked.
    """

    name: str
    owners: tuple[str, ...]
    dsl: str
    dispatch: str
    custom: str
    fallback: str
    workloads: tuple[Workload, ...]
    place: Place
    switch: Switch | None = None
    reference: str = ""
    production_operator: str = ""
    evidence_profile: str = ""  # a trace, or what `kgate decide` made of one; below the manifest's folder
    evidence_source: str = ""
    device_kernels: tuple[str, ...] = ()
    keywords: bool = False
    mutates: tuple[str, ...] = ()
    setup: str = ""
    reset: str = ""
    steps: int = 1
    optional: tuple[str, ...] = ()  # packages that are hidden to drill the fallback; none: that of `dsl`
    compile: str = ""  # module:function called in place of `custom` where there is no GPU
    compare: str = ""  # how outputs are compared where element by element does not fit
    direction: str = "forward"  # or "backward", or "both"
    deterministic: bool = False  # bit for bit, call after call
    tune: Tuning | None = None
    subnormals: str = ""  # "keep": tiny values are asked for; "flush": zero will do for them
    refuses: tuple[Refusal, ...] = ()
    # The first of `refuses` that these symbols and arguments fit. None where it is no kernel of a manifest.
    refused: "Callable[[Mapping[str, int | float | str], Mapping[str, Arg]], Refusal | None] | None" = field(
        default=None, compare=False, repr=False
    )
    min_speedup: float | None = None
    timeout_s: float = 120.0
    unowned_reason: str = ""
    unowned_expires: str = ""

    @property
    def complete(self) -> bool:
        """Whether both paths are known."""
        return bool(self.custom and self.fallback)


class Level(IntEnum):
    """What a rule's finding does to the verdict."""

    OFF = 0
    NOTE = 1
    WARN = 2
    FAIL = 3


@dataclass(frozen=True, kw_only=True)
class Ignored:
    """A line of `ignore`. `pattern` as in CODEOWNERS, from the manifest's folder; `expires` as written."""

    pattern: str
    reason: str
    expires: str
    place: Place


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """What is asked of a GPU kind. `probation`: the last day, as written, on which its findings block nothing."""

    probation: str = ""

    def required(self, today: date) -> bool:
        return not self.probation or passed(self.probation, today)

    def __str__(self) -> str:
        return f"probation until {self.probation}" if self.probation else "required"


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A line of `waivers`: why nothing is measured on a GPU kind, up to the day `expires`, as written."""

    gpu: str
    reason: str
    expires: str
    place: Place


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """
    A line of `accepted`: up to the day `until`, a finding of `rule` on `case` (`gemm/small`) warns and does not block
    where it goes no further than `bound`: 0.08 is 8 % slower.
    """

    case: str
    rule: str
    bound: float
    reason: str
    until: str
    place: Place

    @property
    def identity(self) -> tuple[str, str]:
        return (self.rule, self.case)

    @property
    def expires(self) -> str:
        return self.until


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """`path` is the file; `folder` is where its paths start; `root` is the git root above it."""

    path: Path
    folder: Path
    root: Path
    python: str
    build: str
    env: tuple[str, ...]
    baselines: str
    policy: Mapping[str, Level]
    gpus: Mapping[str, Gpu]
    kernels: tuple[Kernel, ...]
    digest: str  # sha256 of the file's bytes (and of what it includes)
    ignored: tuple[Ignored, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    accepted: tuple[Accepted, ...] = ()

    @property
    def declares_work(self) -> bool:
        """Whether any workload says how much there is to do, which bounds its time from below."""
        return any(w.flops or w.moved_bytes for kernel in self.kernels for w in kernel.workloads)
