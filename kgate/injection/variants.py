"""Which slowdowns are put into a kernel, how large each is to be, and what each has come to. Values in, values out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgate.model import Case, Ratio
from kgate.protocol import CaseJob, Dose, TensorArg, tensors_within

MORE_WORK, EXTRA_LOAD, MISALIGNED, HOST_DELAY = "more-work", "extra-load", "misaligned", "host-delay"
SMALLER_TILE, FEWER_WARPS = "smaller-tile", "fewer-warps"
WAYS = (MORE_WORK, SMALLER_TILE, FEWER_WARPS, EXTRA_LOAD, MISALIGNED, HOST_DELAY)
SIZED = (MORE_WORK, EXTRA_LOAD, HOST_DELAY)  # of these the amount decides how much slower it is
DOSES = (2.0, 3.0, 5.0, 7.0, 10.0)  # %
TRIED = (1 / 64, 1 / 8)  # of the whole, to see what an amount does; of a call's time for a delay


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One slowed form of the case. `wanted`: its dose in %, None where it is as large as it comes."""

    way: str
    wanted: float | None = None
    dose: Dose | None = None
    picks: Mapping[str, str] = field(default_factory=dict)
    what: str = ""

    def case(self, of: Case) -> Case:
        amount = "" if self.dose is None else f" {self.dose.amount}"
        return replace(of, workload=f"{of.workload} + {self.way}{amount}")

    def job(self, plain: CaseJob, of: Case) -> CaseJob:
        return replace(plain, case=self.case(of).name, dose=self.dose, picks=dict(self.picks) or plain.picks)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    `measured`: the time with the dose over that without, in launches of their own; `call` the same of the whole call.
    `ratio`: what the gate's rule saw and said in others; None where the kernel failed with it, and `why`.
    """

    variant: Variant
    measured: float | None = None
    call: float | None = None
    ratio: Ratio | None = None
    why: str = ""


def whole(job: CaseJob, way: str, call_ns: float) -> int:
    """All there is of what is put in: the rows, the bytes of the largest argument, the time of a call."""
    tensors = [arg for arg in tensors_within(job.args.values()) if arg.shape]
    match way:
        case "more-work":
            return max((arg.shape[0] for arg in tensors), default=0)
        case "extra-load":
            return max((bytes_of(arg) for arg in tensors if arg.strides is None), default=0)
    return math.ceil(call_ns)


def bytes_of(arg: TensorArg) -> int:
    """A lower bound: a byte an element, so that no copy is asked for more than there is."""
    return math.prod(arg.shape)


def tried(job: CaseJob, way: str, call_ns: float) -> list[Variant]:
    """Two amounts of a way that has one, to see what they do."""
    amounts = dict.fromkeys(max(1, round(share * whole(job, way, call_ns))) for share in TRIED)
    return [Variant(way=way, dose=Dose(way=way, amount=amount)) for amount in amounts]  # type: ignore[arg-type]


def sized(seen: Mapping[int, float], dose_percent: float, most: int) -> tuple[int, str]:
    """
    The amount that makes a call this much slower, by the line through what two amounts did (`seen`: amount -> factor of
    time), and why there is none, "" if there is.
    """
    (low, at_low), (high, at_high) = min(seen.items()), max(seen.items())
    slope = (at_high - at_low) / (high - low) if high > low else 0.0
    if slope <= 0:
        return 0, "an eighth of it makes no call measurably slower"
    start = at_low - slope * low
    amount = round((1 + dose_percent / 100 - start) / slope)
    if amount < 1:
        return 0, f"the least of it is {100 * (start - 1):+.1f} %"
    if amount > most:
        return 0, f"all of it is no more than {100 * (start + slope * most - 1):+.1f} %"
    return amount, ""


def asked(ways: Sequence[str], doses: Sequence[float]) -> list[tuple[str, float]]:
    return [(way, dose) for way in ways if way in SIZED for dose in doses]
