"""What no time can be below: the work that a workload declares, at the most that its device was seen to do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kgate.figures import time_of
from kgate.model import Workload
from kgate.protocol import Arg, tensors_within

BYTES, FLOPS = "peak-bytes-per-s", "peak-flops-per-s"  # names that the worker's probe gives them
SLACK = 0.9  # of the bound: a peak is itself measured, by a copy that reads as much as it writes
# The peak is that of 16-bit matrix products. A device may multiply 8-bit values twice as fast and packed 4-bit ones,
# which lie in bytes, four times.
NARROW = 4.0
NARROW_TYPES = ("int8", "uint8", "float8_e4m3fn", "float8_e5m2")


@dataclass(frozen=True, kw_only=True)
class Floor:
    """`text` ends a sentence that begins with the time."""

    ns: float
    text: str


def floor_of(workload: Workload, peaks: Mapping[str, float]) -> Floor | None:
    """The higher of both bounds; None where the workload declares no work or the peaks are not known."""
    floors = []
    if workload.moved_bytes and (per_s := peaks.get(BYTES)):
        what = f"`bytes` of the workload says {workload.moved_bytes:g}, and this device moves {per_s:.3g} a second"
        floors.append(floor(workload.moved_bytes, per_s, what))
    if workload.flops and (per_s := peaks.get(FLOPS)):
        per_s *= NARROW if narrow(workload.args.values()) else 1.0
        what = f"`flops` of the workload says {workload.flops:g}, and this device does at most {per_s:.3g} a second"
        floors.append(floor(workload.flops, per_s, what))
    return max(floors, key=lambda f: f.ns, default=None)


def floor(work: float, per_s: float, what: str) -> Floor:
    ns = SLACK * work / per_s * 1e9
    return Floor(ns=ns, text=f"less than {time_of(ns)} is not possible ({what})")


def narrow(args: Iterable[Arg]) -> bool:
    return any(tensor.dtype in NARROW_TYPES for tensor in tensors_within(args))
