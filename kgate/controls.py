"""
Controls of the instrument: quiet kernels of kgate's own, timed in the launches of every run as the user's are.

The same code in two arms has to come out even, and a slowdown put in has to come out as large as it is. Where it does
not, no time of that run is to be believed. Which kernels, in which arm the dose is, and what is made of the times.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgate import stats
from kgate.decision import factor
from kgate.figures import change, time_of
from kgate.margins import MARGINS
from kgate.model import BASE, FALLBACK, HEAD, Control, Instrument, LaunchTiming
from kgate.protocol import Arg, CaseJob, Fill, TensorArg, ValueArg

ENTRY = "kgate.worker.quiet:call"
PREFIX = "kgate/quiet"  # a case of a user's has its device in its name, behind an "@"
DOSED = "dosed"  # among a launch's notes: the arm that has the dose, or ""
STREAM = 0x6B67617465  # of the generator; any number that no argument of a user's is likely to have

GPU_NS = (5_000, 50_000, 500_000)
GPU_ELEMENTS = 4096
LEAST_WAIT = 0.25  # of a call: with less of it, the rest of the call would blur the dose
SANE_NS_PER_CYCLE = (0.2, 5.0)  # clocks of 0.2 to 5 GHz
# A pass on a CPU takes some 2 µs for the first and some 25 µs for the second. Twenty of them, and twenty-one, are 5 %
# apart whatever a pass takes, so that nothing has to be measured first. At 5 µs there is no such kernel: a call of an
# operator alone takes a third of that.
CPU_PASSES = 20
CPU_ELEMENTS = {50_000: 4096, 500_000: 131_072}


@dataclass(frozen=True, kw_only=True)
class Quiet:
    """A kernel of about `about_ns`: what it is given, as (cycles, passes), without the dose and with it."""

    about_ns: float
    elements: int
    plain: tuple[int, int]
    dosed: tuple[int, int]

    @property
    def case(self) -> str:
        return f"{PREFIX}-{time_of(self.about_ns).replace(' ', '-')}"

    def job(self, dosed: bool) -> CaseJob:
        cycles, passes = self.dosed if dosed else self.plain
        fill = Fill(kind="uniform", a=0.0, b=1.0)
        source = TensorArg(shape=(self.elements,), dtype="float32", fill=fill, stream=STREAM)
        args: dict[str, Arg] = {"source": source, "cycles": ValueArg(value=cycles), "passes": ValueArg(value=passes)}
        return CaseJob(case=self.case, dsl="torch", entry=ENTRY, args=args, keywords=False, symbols={})


def kernels(on_gpu: bool, spin: Mapping[str, float]) -> tuple[Quiet, ...]:
    """`spin`: how long a quiet kernel takes on this GPU (protocol.Identity); none without it."""
    if not on_gpu:
        return tuple(
            Quiet(about_ns=ns, elements=count, plain=(0, CPU_PASSES), dosed=(0, CPU_PASSES + 1))
            for ns, count in CPU_ELEMENTS.items()
        )
    call_ns, cycle_ns = spin.get("call-ns", math.nan), spin.get("ns-per-cycle", math.nan)
    low, high = SANE_NS_PER_CYCLE
    if not (0 < call_ns < GPU_NS[-1] and low < cycle_ns < high):
        return ()
    return tuple(on_this_gpu(ns, call_ns, cycle_ns) for ns in GPU_NS)


def on_this_gpu(wanted_ns: float, call_ns: float, cycle_ns: float) -> Quiet:
    """Longer than is wanted where a call that waits for nothing takes nearly as long."""
    about_ns = max(wanted_ns, call_ns / (1 - LEAST_WAIT))
    plain, dosed = (round((factor * about_ns - call_ns) / cycle_ns) for factor in (1.0, MARGINS.control_dose))
    return Quiet(about_ns=about_ns, elements=GPU_ELEMENTS, plain=(plain, 1), dosed=(dosed, 1))


def dosed_arm(arms: Iterable[str], launch: int) -> str:
    """
    The fallback's, where head and base are there to show that the same code is even. Of two arms, one of them in every
    second launch; in the others both have the same code.
    """
    present = set(arms)
    if not {HEAD.name, FALLBACK.name} <= present:
        return HEAD.name if {HEAD.name, BASE.name} <= present and launch % 2 else ""
    return FALLBACK.name if BASE.name in present or launch % 2 else ""


def judged(quiet: Sequence[Quiet], taken: Mapping[str, Sequence[LaunchTiming]], on_gpu: bool) -> Instrument:
    """
    `taken` by the kernel's case. On a CPU a control that fails is told and voids nothing: there a neighbour is felt by
    any process, and latency is no more than noted unless a manifest says otherwise.
    """
    if not quiet:
        missing = "the device could not be measured for them"
        return Instrument(given=MARGINS.control_dose, missing=missing)
    found = tuple(control(kernel, taken.get(kernel.case, ())) for kernel in quiet)
    voids = on_gpu and any(each.fault for each in found)
    return Instrument(controls=found, given=MARGINS.control_dose, voids=voids)


def control(kernel: Quiet, launches: Sequence[LaunchTiming]) -> Control:
    """Too few launches, as of a run that was asked for one alone, are no fault."""
    same, dosed = logs(launches, with_dose=False), logs(launches, with_dose=True)
    bias, dose = (mean(values) if len(values) >= MARGINS.least_launches else None for values in (same, dosed))
    name = time_of(kernel.about_ns)
    low, high = MARGINS.control_dose_seen
    fault = ""
    if bias is not None and abs(math.log(bias)) >= math.log(MARGINS.control_bias):
        fault = f"{name}: the same code in two arms differs by {change(bias)}"
    elif dose is not None and not low <= dose <= high:
        fault = f"{name}: {change(MARGINS.control_dose)} put in was seen as {change(dose)}"
    return Control(name=name, bias=bias, dose=dose, launches=len(same), dosed=len(dosed), fault=fault)


def logs(launches: Sequence[LaunchTiming], *, with_dose: bool) -> list[float]:
    """Of each launch that has it: log of the dosed arm over a plain one, or of head over another arm of its code."""
    found = []
    for launch in launches:
        dosed = str(launch.notes.get(DOSED, ""))
        plain = [arm for arm in (HEAD.name, BASE.name, FALLBACK.name) if arm in launch.samples_ns and arm != dosed]
        above, below = (dosed, plain[:1]) if with_dose else (plain[0] if plain else "", plain[1:2])
        if above in launch.samples_ns and below:
            pair = launch.samples_ns[above], launch.samples_ns[below[0]]
            if all(stats.is_time(ns) for samples in pair for ns in samples):
                found.append(stats.datum(*pair))
    return found


def mean(values: Sequence[float]) -> float:
    return factor(float(stats.trimmed(np.asarray(values)).location))
