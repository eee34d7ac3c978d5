"""How fast: times, ratios of times, and what both were measured on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


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
class Ratio:
    """
    Time of one arm over another's; the interval is two-sided 95 % over launches, never over pooled samples.

    `log_ratios` holds each launch's number, from which `decision` was taken with 1/`shares` of the run's error rate.
    """

    above: str  # arm name
    below: str
    median: float
    low: float
    high: float
    launches: int
    spread: float  # standard deviation of the per-launch log ratio
    decision: Decision
    log_ratios: tuple[float, ...] = ()
    shares: int = 1  # latency tests planned for the run × looks planned at each


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
class StoredCase:
    """A case of a baseline; `spread_log` is of the launches' log times, errors are metric name -> value per output."""

    custom_ns: float
    fallback_ns: float | None
    spread_log: float
    launches: int
    errors: tuple[Mapping[str, float], ...]


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """Stored measurements on one fingerprint; `cases` by case name without its device part (`kernel/workload`)."""

    path: str
    device: str
    fingerprint: Fingerprint
    method: str
    commit: str
    date: str
    cases: Mapping[str, StoredCase]
