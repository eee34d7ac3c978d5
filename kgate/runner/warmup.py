"""
Compile caches filled before anything is measured: first calls of many cases, in a process for nearly every core.

An arm's own process would compile one kernel after the other: 54 s for 20 TileLang cases of one arm on an H200's host.
What fails here fails again in its arm, where it is told.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgate.model import Arm, Event, Measurement, Outcome
from kgate.protocol import CaseJob
from kgate.runner import parallel
from kgate.runner.errand import Errand
from kgate.runner.outputs import run_outputs
from kgate.runner.place import Workplace
from kgate.runner.process import Start

SPARE_CORES = 2  # for the gate, and for what else the host does
MOST = 24  # processes at once: each has a device context of some 500 MB, and its case's tensors
WARM = Errand(mode="warm")
Warmed = Mapping[tuple[Arm, str], Measurement]


def fill_caches(workplace: Workplace, jobs: Mapping[Arm, Sequence[CaseJob]], start: Start) -> Warmed:
    """Call every case of every arm once; by arm and case what came back, of those that were well."""
    work = [(arm, job) for arm, chosen in jobs.items() for job in chosen]
    count = min(MOST, max(1, (os.cpu_count() or 1) - SPARE_CORES), len(work))
    # Neighbours are of one kernel and take alike long: dealt out in turn, each process gets some of all.
    shares = [work[index::count] for index in range(count)]
    found: list[Warmed] = []
    parallel.run(shares, count, lambda share: found.append(filled(workplace, share, start)))
    return {key: measurement for share in found for key, measurement in share.items()}


def filled(workplace: Workplace, share: Sequence[tuple[Arm, CaseJob]], start: Start) -> Warmed:
    """One arm's cases after the other's, a process each."""
    found = {}
    for arm in dict.fromkeys(arm for arm, _ in share):
        jobs = [job for owner, job in share if owner == arm]
        outcomes = run_outputs(workplace, arm, jobs, {}, untold, start=start, errand=WARM)
        found.update({(arm, case): o for case, o in outcomes.items() if isinstance(o, Measurement)})
    return found


def untold(event: Event) -> None:
    """The stream tells of a case when its arm answers it."""


def with_compile_time(outcome: Outcome, warmed: Measurement | None) -> Outcome:
    """Of the call that compiled: the arm's own found everything in its cache."""
    if warmed is None or not isinstance(outcome, Measurement):
        return outcome
    longest_ns = max(warmed.rungs_ns.get("compile", 0), outcome.rungs_ns.get("compile", 0))
    took = {(k.kernel, k.code_sha256): k.compile_ns for k in warmed.compiled}
    compiled = tuple(
        replace(k, compile_ns=k.compile_ns or took.get((k.kernel, k.code_sha256))) for k in outcome.compiled
    )
    return replace(outcome, rungs_ns={**outcome.rungs_ns, "compile": longest_ns}, compiled=compiled)
