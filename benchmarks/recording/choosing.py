"""By how much each candidate slows its kernel, and which one of a way is recorded."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rates.recordings import BASE, SLOWED, Start

from kgate.protocol import CaseJob
from recording.kernels import Kernel

WANTED, LEAST, MOST = 0.05, 0.045, 0.08


@dataclass(frozen=True, kw_only=True)
class Dose:
    """`measured` over one launch, before any is recorded; 0 where it has not been."""

    way: str
    candidate: str
    job: CaseJob
    measured: float = 0.0


Doses = Mapping[str, Sequence[Dose]]  # by kernel


def candidates(recorded: Sequence[Kernel]) -> Doses:
    return {k.name: [Dose(way=w, candidate=c, job=j) for w, c, j in k.candidates()] for k in recorded}


def settled(starts: Sequence[Start], recorded: Sequence[Kernel]) -> Doses:
    """What an earlier start has chosen, as far as these kernels still have it; empty without one."""
    if not starts:
        return {}
    before = starts[0].heading.doses
    return {
        name: [
            Dose(way=dose.way, candidate=dose.candidate, job=dose.job, measured=before[name][dose.way][1])
            for dose in tried
            if before.get(name, {}).get(dose.way, ("",))[0] == dose.candidate
        ]
        for name, tried in candidates(recorded).items()
    }


def chosen(tried: Doses, samples: Mapping[str, Mapping[str, Sequence[int]]]) -> Doses:
    """
    Of each way the candidate that slows its kernel least of those that do by 5 % or more, else the nearest below; none
    where all are too far away. `samples`: by the candidate's case and arm, in ns; what failed has none.
    """
    found: dict[str, list[Dose]] = {}
    for name, doses in tried.items():
        measured = [
            Dose(way=d.way, candidate=d.candidate, job=d.job, measured=slowdown(samples[d.job.case]))
            for d in doses
            if {BASE, SLOWED} <= samples.get(d.job.case, {}).keys()
        ]
        ways = dict.fromkeys(dose.way for dose in doses)
        told = {way: [d for d in measured if d.way == way] for way in ways}
        for way, each in told.items():
            said = ", ".join(f"{d.candidate} {100 * d.measured:+.1f} %" for d in each) or "none could be timed"
            print(f"{name}, {way}: {said}", flush=True)
        found[name] = [best for each in told.values() for best in nearest(each)]
    return found


def slowdown(samples: Mapping[str, Sequence[int]]) -> float:
    pairs = zip(samples[SLOWED], samples[BASE], strict=False)
    return math.expm1(statistics.median(math.log(slowed / base) for slowed, base in pairs))


def nearest(doses: Sequence[Dose]) -> list[Dose]:
    """One or none."""
    near = [d for d in doses if LEAST <= d.measured <= MOST]
    enough = [d for d in near if d.measured >= WANTED]
    return [min(enough, key=lambda d: d.measured)] if enough else sorted(near, key=lambda d: -d.measured)[:1]
