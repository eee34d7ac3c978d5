"""How fast: times, ratios of times, and what both were measured on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

# Among a launch's notes: why the device's clocks were low, read by the gate itself; missing where it could not.
GATE_THROTTLE = "gate.throttle"


class Decision(str, Enum):
    SLOWER = "slower"
    NO_SLOWER = "no slower"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class LaunchTiming:
    """One case in one launch: per-call times of each arm, by arm name, in the order taken."""

    launch: int
    samples_ns: Mapping[str, tuple[float, ...]]
    call_ns: Mapping[str, tuple[float, ...]]
    method: str
    notes: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """What fresh processes said of a claim: the trimmed mean of their ratios, and whether it bears the claim out."""

    holds: bool
    median: float
    launches: int


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """
    Time of one arm over another's, of a case or, as the mean over its workloads, of a kernel: `median` is exp of the
    trimmed mean over launches, the interval two-sided 95 % over launches, never over pooled samples.

    `decision` is about `wanted`, the speed-up that the manifest asks for; `reason` says why it is inconclusive.
    `confirmation` is None where none was asked for: a *slower* without one is no more than a note.
    """

    above: str  # arm name
    below: str
    median: float
    low: float
    high: float
    launches: int  # that it rests on; 0: none was valid
    spread: float  # of the launches' log ratio, as a standard deviation; outlying launches drawn in
    decision: Decision
    reason: str = ""
    confirmation: Confirmation | None = None
    wanted: float = 1.0
    freedom: int = 0  # degrees of freedom of the spread
    throttled: int = 0  # launches that are left out for it
    slow_launches: int = 0  # far slower than the others, where the rival has no such launches
    tail: float | None = None  # ratio of the 90th percentiles, where it is shown to be slower and the median is not
    shared: bool = False  # moved with more than half of the run's cases, which no fresh processes bear out


@dataclass(frozen=True, kw_only=True)
class Shift:
    """More than half of the cases moving together by a like amount: the run's doing until it is confirmed."""

    cases: int
    of: int
    median: float  # of their ratios to base
    confirmed: bool


@dataclass(frozen=True, kw_only=True)
class Control:
    """
    What the instrument made of one quiet kernel of kgate's own: `bias` of the same code in two arms (1 is none), `dose`
    of a slowdown put in. Trimmed means over launches; None where too few launches had it. `fault`: why it is not to be
    believed, as a sentence.
    """

    name: str
    bias: float | None
    dose: float | None
    launches: int  # with the same code
    dosed: int  # with the dose
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class Instrument:
    """
    All controls of a run, and what follows. `given`: the dose put in. `missing`: why there are none. `voids`: the run's
    times decide nothing. `again`: they are those of a second try, after one whose controls had failed.
    """

    controls: tuple[Control, ...] = ()
    given: float = 1.0
    missing: str = ""
    voids: bool = False
    again: bool = False

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(control.fault for control in self.controls if control.fault)


@dataclass(frozen=True, kw_only=True)
class Latency:
    """All that is known of a case's speed."""

    launches: tuple[LaunchTiming, ...]
    median_ns: Mapping[str, float]  # by arm name: median over launches of the launch's median
    ratios: tuple[Ratio, ...]  # head/base, head/fallback (custom / fallback), base/fallback; where both arms ran
    method: str

    def ratio(self, above: str, below: str) -> Ratio | None:
        return next((r for r in self.ratios if (r.above, r.below) == (above, below)), None)


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """Of GPU, toolchain and method. Two measurements may be compared only if `must_match` is equal."""

    must_match: Mapping[str, str]
    may_drift: Mapping[str, float] = field(default_factory=dict)
    information: Mapping[str, str] = field(default_factory=dict)

    def differences(self, other: "Fingerprint") -> tuple[str, ...]:
        """Names of must-match fields that differ or that only one side has."""
        names = sorted({*self.must_match, *other.must_match})
        return tuple(n for n in names if self.must_match.get(n) != other.must_match.get(n))


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How launches of a case differed: the spread of their log ratio, and the degrees of freedom it rests on."""

    spread_log: float
    freedom: int


@dataclass(frozen=True, kw_only=True)
class StoredCase:
    """
    A case of a baseline; `spread_log` is of the launches' log times, errors are metric name -> value per output.
    `noise` by the arm that head was compared with. `method` "": the baseline's.
    """

    custom_ns: float
    fallback_ns: float | None
    spread_log: float
    launches: int
    errors: tuple[Mapping[str, float], ...]
    noise: Mapping[str, Noise] = field(default_factory=dict)
    method: str = ""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """
    Stored measurements on one fingerprint; `cases` by case name without its device part (`kernel/workload`).

    `method` is how a case was timed that names none of its own.
    """

    path: str
    device: str
    fingerprint: Fingerprint
    method: str
    commit: str
    date: str
    cases: Mapping[str, StoredCase]

    def method_of(self, case: StoredCase) -> str:
        return case.method or self.method
