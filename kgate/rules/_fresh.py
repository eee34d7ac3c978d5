"""Which faults a change has made, where base was asked the same question and has none."""

from collections.abc import Mapping

from kgate.model import FALLBACK, HEAD, REPEATS, SWITCH_OFF, SWITCH_ON, Arm, Case, Failure, Finding, Run, Scope, of_base
from kgate.rules._base import declared_in_base
from kgate.rules._state import ANSWERS, proven_right, reached

# By rule of a case, in the order in which it looks: the arms whose fault it tells.
ARMS: Mapping[str, tuple[Arm, ...]] = {
    "does-not-run": (HEAD,),
    "contract-broken": ANSWERS,
    "wrong-result": (*ANSWERS, SWITCH_ON),
    "nondeterministic": (REPEATS,),
    "fallback-raises": (FALLBACK,),
    "fallback-wrong": (FALLBACK,),
}
# Rules of a kernel that read manifest and CODEOWNERS alone, which base has whether or not it was run.
WRITTEN = ("owner-missing", "no-workloads", "fallback-missing")


def without_fault(run: Run, finding: Finding) -> bool:
    """
    Whether a finding that base does not show is one that base could have shown. False where base was not asked, or did
    not get as far, as on a machine on which it cannot be built; and for what base is no measure of, such as its times.
    """
    if finding.rule == "kernel-unlisted":
        return run.terms.base_inventory is not None
    if finding.rule in WRITTEN:
        return finding.kernel in run.base_kernels and finding.kernel in run.base_ownership
    case = next((c for c in run.cases if c.stable_name == finding.name), None)
    if finding.scope is not Scope.CASE or case is None or not declared_in_base(run, case):
        return False
    if finding.rule == "switch-without-effect":
        faulty: Arm | None = SWITCH_OFF if reached(run, SWITCH_OFF, case, "custom") else SWITCH_ON
    else:
        faulty = next((arm for arm in ARMS.get(finding.rule, ()) if at_fault(run, arm, case)), None)
    return faulty is not None and proven_right(run, of_base(faulty), case)


def at_fault(run: Run, arm: Arm, case: Case) -> bool:
    broken = any(not comparison.holds for comparison in run.comparisons.get((arm, case), ()))
    return broken or isinstance(run.outcome(arm, case), Failure)
