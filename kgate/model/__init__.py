"""
The vocabulary: every value that crosses a room's wall. Frozen, keyword-only, and without effects.

    Manifest -plan-> Task -runner-> Outcome = Measurement | Failure -compare-> Comparison
             -rules-> Finding -> Verdict -> Report -reports-> text

A kernel that fails is a `Failure` with a reason, never an exception. Times are ns, sizes bytes, ratios plain factors
(1.05 = 5 % slower), unless a name says otherwise.
"""

from kgate.model.declared import Kernel, Level, Manifest, Place, Switch, Tolerance, Workload
from kgate.model.judged import Event, Finding, Report, Run, Scope, Verdict, verdict_of
from kgate.model.measured import Baseline, Decision, Fingerprint, Latency, LaunchTiming, Ratio, StoredCase
from kgate.model.observed import (
    BASE,
    FALLBACK,
    FALLBACK_TIMED,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    TIMED,
    Arm,
    Bound,
    Case,
    Comparison,
    CompiledKernel,
    Direction,
    Failure,
    Measurement,
    Metric,
    Outcome,
    Ownership,
    Route,
    Task,
    Tensor,
    Tree,
    of_base,
)

__all__ = [
    "BASE",
    "FALLBACK",
    "FALLBACK_TIMED",
    "HEAD",
    "REFERENCE",
    "SWITCH_OFF",
    "SWITCH_ON",
    "TIMED",
    "Arm",
    "Baseline",
    "Bound",
    "Case",
    "Comparison",
    "CompiledKernel",
    "Decision",
    "Direction",
    "Event",
    "Failure",
    "Finding",
    "Fingerprint",
    "Kernel",
    "Latency",
    "LaunchTiming",
    "Level",
    "Manifest",
    "Measurement",
    "Metric",
    "Outcome",
    "Ownership",
    "Place",
    "Ratio",
    "Report",
    "Route",
    "Run",
    "Scope",
    "StoredCase",
    "Switch",
    "Task",
    "Tensor",
    "Tolerance",
    "Tree",
    "Verdict",
    "Workload",
    "of_base",
    "verdict_of",
]
