"""Who runs what, and what came back: arms, cases, outcomes, comparisons."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from kgate.model.declared import Choice, Workload
from kgate.protocol import MOMENTS, Reason, Rung


class Tree(str, Enum):
    HEAD = "head"
    BASE = "base"


class Route(str, Enum):
    """Which of a kernel's functions is called."""

    CUSTOM = "custom"
    FALLBACK = "fallback"
    REFERENCE = "reference"
    DISPATCH = "dispatch"


@dataclass(frozen=True, kw_only=True)
class Arm:
    """
    One side of a comparison. `condition` is a drill's ("switch-off", "switch-on", a name of kgate.worker.conditions),
    "timed" for a sample exported from the timed loop, one of protocol.MOMENTS for a later call of the same process, or
    "fenced" for what became of a first try with memory behind the inputs that no access survives, "afresh" for the same
    call in another process; "" otherwise.
    """

    tree: Tree
    route: Route
    condition: str = ""

    @property
    def name(self) -> str:
        """`head`, `base`, `head timed`, `fallback`, `base-fallback`, `reference`, `dispatch switch-off` …"""
        word = self.tree.value if self.route is Route.CUSTOM else self.route.value
        if self.tree is Tree.BASE and self.route in (Route.FALLBACK, Route.DISPATCH):
            word = f"base-{word}"
        return f"{word} {self.condition}".strip()


HEAD = Arm(tree=Tree.HEAD, route=Route.CUSTOM)
BASE = Arm(tree=Tree.BASE, route=Route.CUSTOM)
FALLBACK = Arm(tree=Tree.HEAD, route=Route.FALLBACK)
REFERENCE = Arm(tree=Tree.HEAD, route=Route.REFERENCE)  # its files are base's for a kernel that base has
SWITCH_OFF = Arm(tree=Tree.HEAD, route=Route.DISPATCH, condition="switch-off")
SWITCH_ON = Arm(tree=Tree.HEAD, route=Route.DISPATCH, condition="switch-on")
TIMED = Arm(tree=Tree.HEAD, route=Route.CUSTOM, condition="timed")
FENCED = Arm(tree=Tree.HEAD, route=Route.CUSTOM, condition="fenced")
LATER: tuple[Arm, ...] = tuple(Arm(tree=Tree.HEAD, route=Route.CUSTOM, condition=m) for m in MOMENTS)
REPEATS = LATER[MOMENTS.index("repeats")]
IN_NAN = LATER[MOMENTS.index("memory of NaN")]
SECOND = LATER[MOMENTS.index("second call")]
AFRESH = Arm(tree=Tree.HEAD, route=Route.CUSTOM, condition="afresh")
FALLBACK_TIMED = Arm(tree=Tree.HEAD, route=Route.FALLBACK, condition="timed")


def of_base(arm: Arm) -> Arm:
    """The same arm of the base commit."""
    return Arm(tree=Tree.BASE, route=arm.route, condition=arm.condition)


@dataclass(frozen=True, kw_only=True, order=True)
class Case:
    """kernel × workload × device × direction."""

    kernel: str
    workload: str
    device: str  # "cpu", or the GPU's short name ("h200")
    direction: str = "forward"

    @property
    def name(self) -> str:
        suffix = "" if self.direction == "forward" else f"/{self.direction}"
        return f"{self.kernel}/{self.workload}@{self.device}{suffix}"

    @property
    def stable_name(self) -> str:
        """Without its device: what findings, baselines and debt call it."""
        return f"{self.kernel}/{self.workload}" + ("" if self.direction == "forward" else f"/{self.direction}")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """
    What kgate asks besides a workload: `of` it, with one `change` ("K = 129"). `kind` is what has changed ("K"):
    variants of one kind are one fault. `behind`: the change that is asked right before it, which the product refuses.
    `choice`: a configuration that is fixed meanwhile.
    """

    of: Case
    kind: str
    change: str
    workload: Workload = field(repr=False)
    behind: str = ""
    choice: Choice = field(default_factory=dict)

    @property
    def refused(self) -> str:
        """The change that the product refuses: its own, or the one before it; "" where it refuses neither."""
        return self.change if self.workload.refusal else self.behind


@dataclass(frozen=True, kw_only=True)
class Task:
    """Work for one process: an arm and the cases it runs, before any is in a control directory."""

    arm: Arm
    cases: tuple[Case, ...]


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """An exported output: C-order bytes in a plain file whose size has been checked."""

    path: Path
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str


@dataclass(frozen=True, kw_only=True)
class CompiledKernel:
    """
    A device kernel as its compiler made it: protocol.Artifact with its files in their places. Evidence, as facts are.

    `files`: kind ("cubin", "ptx", …) -> plain file; empty unless they were asked for.
    """

    kernel: str
    dsl: str
    arch: str
    code_sha256: str = ""
    registers: int | None = None  # per thread
    shared_bytes: int | None = None  # per block
    local_bytes: int | None = None  # per thread
    config: Mapping[str, str] = field(default_factory=dict)
    compile_ns: int | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """An arm answered a case. Facts and compiled kernels are the worker's word: evidence, never a verdict."""

    outputs: tuple[Tensor, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    rungs_ns: Mapping[str, int] = field(default_factory=dict)
    compiled: tuple[CompiledKernel, ...] = ()
    later: Mapping[str, tuple[Tensor, ...]] = field(default_factory=dict)  # by moment, where its bits are others

    @property
    def all_outputs(self) -> tuple[Tensor, ...]:
        """Those of later calls, too."""
        return (*self.outputs, *(tensor for tensors in self.later.values() for tensor in tensors))

    @property
    def empty(self) -> bool:
        """Whether there was nothing to compute, which is best computed by no kernel at all."""
        return bool(self.outputs) and not any(math.prod(tensor.shape) for tensor in self.outputs)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """
    An arm did not answer a case. `text` is one line and may hold anything a kernel chose to say: escape it.

    `files`: what the worker had loaded for the case, path below the tree -> sha256; {} where it did not come to tell.
    They are no part of what failed: the same failure of other files is equal.
    """

    rung: Rung
    reason: Reason
    text: str
    detail: str = ""
    files: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    kinds: tuple[str, ...] = field(default=(), compare=False)  # the exception's classes by name, nearest first


Outcome = Measurement | Failure


class Direction(str, Enum):
    """Which way a metric is good."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number with all a report needs to print it. `where`: index and both values, for metrics that sit somewhere."""

    name: str
    value: float  # may be inf; NaN never
    unit: str
    direction: Direction
    where: str = ""

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise ValueError(f"metric {self.name} is NaN; say inf or None")


@dataclass(frozen=True, kw_only=True)
class Bound:
    """
    What one output of one case may differ from its reference; `source` is "derived", "cap" or "manifest".

    Derived: row_error and relative_l2, as factors of the row's largest |expected| and of the output's norm.
    By hand: rtol and atol per element, psnr in dB, cosine. None is not asked for. `zero_below`: smaller numbers count
    as zero, as the manifest accepts.
    """

    source: str
    row_error: float | None = None
    relative_l2: float | None = None
    rtol: float | None = None
    atol: float | None = None
    psnr: float | None = None
    cosine: float | None = None
    zero_below: float | None = None

    @property
    def asks(self) -> bool:
        """Whether there is any limit."""
        limits = (self.row_error, self.relative_l2, self.rtol, self.atol, self.psnr, self.cosine)
        return any(limit is not None for limit in limits)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """
    One output of one arm against the reference. `mismatch` is "" if number, shape and dtype of outputs fit, else a
    sentence, and then there are no metrics. `broken` names the bounds that do not hold, each with its numbers.
    `accepts_zeros`: nothing but zeros would hold under the manifest's own bound, where something else is expected;
    `accepts`: what else would, that is wrong. `beyond`: how the answer breaks what its dtype allows under such a bound.
    """

    output: int
    dtype: str
    shape: tuple[int, ...]
    metrics: Mapping[str, Metric]
    bound: Bound
    mismatch: str = ""
    broken: tuple[str, ...] = ()
    accepts_zeros: bool = False
    accepts: tuple[str, ...] = ()
    beyond: str = ""
    finite: bool = True  # every value and every expected one

    @property
    def holds(self) -> bool:
        return not self.mismatch and not self.broken
