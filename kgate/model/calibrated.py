"""What the gate knows of its own errors on the cases of one repository and one kind of device."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kgate.model.declared import Level
from kgate.model.measured import Fingerprint


@dataclass(frozen=True, kw_only=True)
class Counted:
    """How often something happened of how often it could have, and the upper one-sided 95 % bound of its chance."""

    hits: int
    of: int
    bound: float


@dataclass(frozen=True, kw_only=True)
class CalibratedCase:
    """
    `spreads`: by level (launch, start, rebuild, day) the standard deviation of the log ratio that it adds; None where
    the launches cannot tell it from another level. `starts_differ`: p of zygotes being alike; None where not told.

    Of replayed runs in which this case alone is asked: `not_green` of clean ones, `blocked` and `passed` at +5 %.
    """

    level: Level  # of the latency rules that only warn
    reason: str  # of the level
    launches: int
    starts: int
    days: int
    bias: float
    spreads: Mapping[str, float | None]
    starts_differ: float | None
    not_green: Counted
    blocked: Counted
    passed: Counted


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """
    Same-against-same launches and what they foretell. `not_green`: of replayed clean runs of all cases at level fail,
    their controls included; `launches` and `starts` are the independent draws that this rests on.
    """

    path: str
    device: str
    fingerprint: Fingerprint
    commit: str
    date: str
    not_green: Counted
    launches: int
    starts: int
    days: int
    cases: Mapping[str, CalibratedCase] = field(default_factory=dict)  # by stable name

    def decides(self, names: tuple[str, ...]) -> bool:
        """Whether all of these cases are known well enough to block what is slower."""
        return bool(names) and all(n in self.cases and self.cases[n].level is Level.FAIL for n in names)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """
    The gate's own record, as reports show it. `calibration`: None where none fits this run; `missing` says why then.
    `live`: runs here of changes that left all code as it was, and how many of them did not come out green.
    """

    calibration: Calibration | None = None
    missing: str = ""
    live: Counted | None = None
