"""The declared workloads of a kernel that are right, beside one that is wrong: what tells them apart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgate.model import HEAD, Case, Run, Workload
from kgate.protocol import Arg, TensorArg
from kgate.rules._sizes import beyond, told_apart
from kgate.rules._state import proven_right

SHOWN = 4


def neighbours(run: Run, case: Case) -> dict[str, str]:
    """Evidence: which workloads are right, the pattern of sizes, and the layout if a twin without gaps is right."""
    asked = [c for c in run.of_kernel(case.kernel) if run.comparisons.get((HEAD, c))]
    right = [c for c in asked if proven_right(run, HEAD, c)]
    wrong = [c for c in asked if c not in right]
    told = {
        "layout": layout(run, case, right),
        "pattern": sizes(run, wrong, right),
        "right on": ", ".join(c.workload for c in right[:SHOWN])
        + (f" and {len(right) - SHOWN} more" if len(right) > SHOWN else ""),
    }
    return {key: text for key, text in told.items() if text}


def layout(run: Run, case: Case, right: Sequence[Case]) -> str:
    """`x [64, 96] has strides [128, 1]; workload dense, the same without gaps, is right`."""
    workload = run.workload(case)
    odd = [f"{n} {list(a.shape)} has strides {list(a.strides)}" for n, a in strided(workload).items() if a.strides]
    if workload is None or not odd:
        return ""
    twin = next((c for c in right if (w := run.workload(c)) and not strided(w) and form(w) == form(workload)), None)
    return ", ".join(odd) + (f"; workload {twin.workload}, the same without gaps, is right" if twin else "")


def strided(workload: Workload | None) -> Mapping[str, TensorArg]:
    """Arguments whose memory does not lie one element after the other."""
    named = workload.args.items() if workload else ()
    return {name: arg for name, arg in named if isinstance(arg, TensorArg) and has_gaps(arg)}


def has_gaps(arg: TensorArg) -> bool:
    dense = tuple(math.prod(arg.shape[i + 1 :]) for i in range(len(arg.shape)))
    return arg.strides is not None and arg.strides != dense


def form(workload: Workload) -> dict[str, Arg]:
    """The arguments without their strides and without what keys their values."""
    return {n: replace(a, strides=None, stream=0) if isinstance(a, TensorArg) else a for n, a in workload.args.items()}


def sizes(run: Run, wrong: Sequence[Case], right: Sequence[Case]) -> str:
    """Of the first symbol whose values tell wrong from right."""
    for tell in (told_apart, beyond):
        for name in dict.fromkeys(n for c in wrong for n in symbols(run, c)):
            bad, good = ([s[name] for c in cases if name in (s := symbols(run, c))] for cases in (wrong, right))
            if len(bad) == len(wrong) and (text := tell(name, bad, good)):
                return text
    return ""


def symbols(run: Run, case: Case) -> Mapping[str, int]:
    workload = run.workload(case)
    return {n: v for n, v in workload.symbols.items() if type(v) is int} if workload else {}
