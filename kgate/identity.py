"""
Which cases run the same code as base, so that launches which differ can only show the instrument.

A worker tells what it loaded, compiled and launched, and a process that runs a change's code may tell anything, of
other kernels as well. It is believed only where no code of the change can have run in it: where no file differs that
any case loaded at base, and nothing else differs that could be loaded or could choose what is loaded. The gate compares
the trees itself, and what base loaded is told by processes that ran base's code alone. What is left is base's own code
loading a file by the clock, by the environment or by chance.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from kgate.figures import count
from kgate.model import BASE, HEAD, Arm, Case, Measurement, Outcome
from kgate.plan import Plan, job

INERT = (".md", ".rst")  # nothing reads them to decide what runs
CODE = ".py"
STORED = ".json"
TRACE = "device-trace"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One path, from the git root, that differs between base's commit and the work tree; `edited`: it is in both."""

    path: str
    edited: bool


def identical(
    plan: Plan,
    outcomes: Mapping[tuple[Arm, Case], Outcome],
    changes: Iterable[Change],
    prefix: str,
    own: Collection[str],
) -> frozenset[Case]:
    """
    `prefix`: of the manifest's folder, below the git root, as a worker's paths are below it; `own`: the manifest, which
    only the gate reads, and folders of whose JSON files that is true.
    """
    relevant = [change for change in changes if not inert(change.path, own)]
    # A file that is new may stand in the way of another's import; one that is no code may say what to import.
    if any(not change.edited or PurePosixPath(change.path).suffix != CODE for change in relevant):
        return frozenset()
    loaded = [files_of(outcomes.get((BASE, case))) for case in plan.cases]
    paths = {(PurePosixPath(prefix) / name).as_posix() for files in loaded for name in files}
    # A module that sets something for the whole process, or means harm, reaches every kernel in it.
    if not all(loaded) or paths & {change.path for change in relevant}:
        return frozenset()
    return frozenset(case for case in plan.cases if plan.in_base(case) and same(plan, outcomes, case))


def inert(path: str, own: Collection[str]) -> bool:
    """Of a folder, the files in it and not below it: one that is called the baselines' may hold all kernels."""
    stored = PurePosixPath(path)
    return path.endswith(INERT) or path in own or (stored.suffix == STORED and stored.parent.as_posix() in own)


def files_of(outcome: Outcome | None) -> Mapping[str, str]:
    """sha256 by path of what a case loaded; nothing where that is not known."""
    found = outcome.facts.get("loaded-files", {}) if isinstance(outcome, Measurement) else {}
    return found if isinstance(found, dict) else {}


def same(plan: Plan, outcomes: Mapping[tuple[Arm, Case], Outcome], case: Case) -> bool:
    head, base = outcomes.get((HEAD, case)), outcomes.get((BASE, case))
    if not isinstance(head, Measurement) or not isinstance(base, Measurement) or files_of(head) != files_of(base):
        return False
    asked, before = (replace(job(plan, arm, case), timeout_s=0.0) for arm in (HEAD, BASE))
    return asked == before and seen(base) is not None and seen(head) == seen(base)


def seen(answer: Measurement) -> object:
    """All that can be seen of what ran on the device; None where a part of it cannot, as on a CPU."""
    trace = answer.facts.get(TRACE)
    codes = [(k.kernel, k.code_sha256, k.shared_bytes, sorted(k.config.items())) for k in answer.compiled]
    if not trace or not all(code for _, code, *_ in codes):
        return None
    return trace, codes


def told(cases: Collection[Case], furthest: float) -> tuple[str, ...]:
    """What a report says of them; `furthest`: how far the ratio of one of them lies from 1 at most."""
    if not cases:
        return ()
    runs = "runs" if len(cases) == 1 else "run"
    return (
        f"{count(len(cases), 'case')} {runs} the same code as base, by sources, machine code and device trace, and "
        f"passed by that; as a control, their times differ by {furthest:.2%} at most",
    )
