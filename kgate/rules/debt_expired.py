"""An old fault was to be mended by now, and is still there."""

from collections.abc import Iterable

from kgate.model import Finding, Level, Owed, Run, Scope, passed
from kgate.rules._law import Limit

NAME = "debt-expired"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "Every old fault in the debt file is mended before its day."
WHY = (
    "Debt lets a repository adopt the gate with its faults shown. Without a day on which it ends it is an exception "
    "for ever."
)
SATISFY = (
    "Mend the fault and take its entry out, or let an owner approve a later day: a day that a change moves itself does "
    "not count until then. `kgate debt` lists what is owed, by whom and until when."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    """Of every entry whose day has passed; `still_there` tells whether there is anything to say."""
    for owed in run.terms.debt:
        if passed(owed.expires, limit.today):
            yield finding(limit, owed)


def finding(limit: Limit, owed: Owed) -> Finding:
    kernel = "" if owed.scope == Scope.RUN.value else owed.name.partition(" (")[0].partition("/")[0]
    return Finding(
        rule=limit.rule,
        level=limit.level,
        scope=Scope(owed.scope),
        name=f"{owed.name} ({owed.rule})",
        kernel=kernel,
        sentence=f"{owed.rule} of {owed.name} is still there; {owed.owner} was to mend it until {owed.expires}",
        advice="Mend it and take its entry out of the debt file, or let an owner approve a later day.",
        evidence={"debt": str(owed.place)},
        owners=(owed.owner,),
        place=owed.place,
    )


def still_there(found: Finding, others: Iterable[Finding]) -> bool:
    """Whether the fault that an expired entry names is among the findings, and is not one that the change has made."""
    old = (other for other in others if other.rule != NAME and (other.pre_existing or other.undecided))
    return any(found.name == f"{other.name} ({other.rule})" for other in old)
