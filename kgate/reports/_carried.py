"""Cases that a run did not measure, since an earlier one has proved them: in a line a run, and as JSON."""

from collections.abc import Iterator
from typing import Any

from kgate.figures import count
from kgate.model import Run

SHOWN = 8  # kernels by name; report.json has them all


def lines(run: Run) -> Iterator[str]:
    """For each run that is relied on, unescaped."""
    for why in dict.fromkeys((c.run, c.commit, c.started) for c in run.carried.values()):
        key, commit, started = why
        mine = [case for case, c in run.carried.items() if (c.run, c.commit, c.started) == why]
        kernels = dict.fromkeys(case.kernel for case in mine)
        shown = ", ".join(list(kernels)[:SHOWN]) + (f" and {len(kernels) - SHOWN} more" if len(kernels) > SHOWN else "")
        yield (
            f"carried, not measured: {count(len(mine), 'case')} of {count(len(kernels), 'kernel')}, which run {key} of "
            f"{started[:10]} proved at commit {commit[:9]}: {shown}"
        )


def documents(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "name": case.name,
            "kernel": case.kernel,
            "workload": case.workload,
            "device": case.device,
            "direction": case.direction,
            "run": why.run,
            "commit": why.commit,
            "started": why.started,
        }
        for case, why in run.carried.items()
    ]
