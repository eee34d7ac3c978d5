"""
The fallback runs in the kernel's place, and nobody is told.

Warns by default: the answer is right. What it costs is found on a bill, weeks later, or not at all.
"""

from collections.abc import Iterable

from kgate.model import Case, Drill, Finding, Level, Run
from kgate.rules._drills import answers, conditions, of_drill, on_workloads, takes_custom
from kgate.rules._habits import listed
from kgate.rules._law import Limit, Said
from kgate.rules._state import reached

NAME = "fallback-silent"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "Where the fallback runs because something is missing or fails, the product says so: by a logger, or a warning."
WHY = (
    "A kernel that is silently replaced by its fallback passes every test and wins nothing. One line in a log is the "
    "difference between a slow week and a quick look."
)
SATISFY = (
    "Log one line, at level warning or above, when the dispatch first takes the fallback for another reason than the "
    "switch: the reason and the path that runs. A level that is not heard by default counts as silence."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for drill in conditions(run):
        if drill.logged and (said := silent_said(run, drill)):
            yield of_drill(run, limit, drill, said)


def silent_said(run: Run, drill: Drill) -> Said | None:
    silent = [
        case
        for case, answer in answers(run, drill)
        if answer.facts.get("logged") is False
        and stood_in(run, drill, case)
        and takes_custom(run, case)
        and not run.unmet(drill, case)
    ]
    if not silent:
        return None
    kernel = run.kernels[drill.kernel]
    does = f"runs {kernel.fallback}" if reached(run, drill.arm, silent[0], "fallback") else "answers in another way"
    return Said(
        sentence=f"{kernel.dispatch} {drill.where} {does} without a word, {on_workloads(silent)}",
        advice=f"Let {kernel.dispatch} log one line, at level warning, when it first takes the fallback there.",
    )


def stood_in(run: Run, drill: Drill, case: Case) -> bool:
    """Whether something else answered than what was asked first; a gradient has no function that the manifest names."""
    return reached(run, drill.arm, case, "fallback") > 0 or bool(
        listed(run.outcome(drill.arm, case), "failed-backward")
    )
