"""The custom path is slower than the base commit's, measured side by side in this run."""

from collections.abc import Iterable, Mapping

from kgate.figures import change, count
from kgate.model import BASE, HEAD, Case, Decision, Failure, Finding, Level, Ratio, Run, Shift
from kgate.rules._law import Limit, Said, of_case, of_kernel, of_run
from kgate.rules._ratio import decided, inconclusive, measured, more_launches, spread, times
from kgate.rules._state import NOT_HERE, base_asked, custom_right, happened, proven_right, trace

NAME = "slower-than-base"
DEFAULT = Level.FAIL
ON_CPU: Level | None = Level.NOTE
WANTS = "The custom path takes no longer than the base commit's, on the same GPU, in the same launches."
WHY = (
    "Many small losses are how a fast kernel dies. Both commits run alternately in this run, so another day's clock, "
    "driver or neighbour is no excuse and no accusation."
)
SATISFY = (
    "Profile head and base on the workload that the finding names, and win the time back. If it is the price of a fix "
    "or a feature, set `slower-than-base: warn` under `policy` in a change of its own, with the reason. Where base "
    "could not be measured the question stays open: mend what kept it from running here, or use `--base none`."
)
# Failures that leave open how fast base is. A base that raises, by contrast, was run, and is no rival.
UNKNOWN = (*NOT_HERE, "hung", "bad-reply")
# Of these, what may be the machine's: an earlier run's is not believed, and is measured again.
PASSING = ("unavailable", "hung")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if run.shift is not None and any(carried(run, case) for case in run.cases):
        yield of_run(run, limit, together(run.shift))
    for case in run.cases:
        said = case_said(run, case) if timed(run, case) and base_asked(run, case) else None
        if said:
            yield of_case(run, limit, case, said)
    for name, kernel in run.kernels.items():
        ratio = next((r for r in run.paces.get(name, ()) if r.below == BASE.name), None)
        if ratio is not None and ratio.decision is Decision.SLOWER and only_together(run, name):
            yield of_kernel(run, limit, kernel, slower_in_all(run, name, ratio))


def carried(run: Run, case: Case) -> bool:
    """Whether the case moved with most of the run, and is still open for it: the run's finding, not the case's."""
    latency = run.latency.get(case)
    ratio = latency.ratio(HEAD.name, BASE.name) if latency else None
    return ratio is not None and ratio.shared


def only_together(run: Run, kernel: str) -> bool:
    """Every workload was measured against a right base, and none of them is called slower by itself."""
    cases = run.of_kernel(kernel)
    ratios = [latency.ratio(HEAD.name, BASE.name) for case in cases if (latency := run.latency.get(case))]
    sound = all(timed(run, case) and base_asked(run, case) and proven_right(run, BASE, case) for case in cases)
    return sound and all(r is not None and r.decision is not Decision.SLOWER for r in ratios)


def timed(run: Run, case: Case) -> bool:
    """Head is right and has times; elsewhere other rules speak."""
    latency = run.latency.get(case)
    return custom_right(run, case) and latency is not None and HEAD.name in latency.median_ns


def case_said(run: Run, case: Case) -> Said | None:
    if not proven_right(run, BASE, case):
        return unproven(run, case)
    ratio = run.latency[case].ratio(HEAD.name, BASE.name)
    if ratio is None:
        advice = more_launches(len(run.latency[case].launches))
        return not_measured(case, "it ran, and no launch timed it beside head", advice)
    if ratio.shared:
        return None
    match ratio.decision:
        case Decision.SLOWER:
            return slower(run, case, ratio)
        case Decision.INCONCLUSIVE:
            return inconclusive(run, case, ratio, "head against base")
        case Decision.NO_SLOWER:
            return None


def unproven(run: Run, case: Case) -> Said | None:
    """A base that is known to fail or to be wrong is no rival; one of which nothing is known leaves the question."""
    outcome = run.outcome(BASE, case)
    if outcome is None:
        return not_measured(case, "it was not run", "Run the same command again; it goes on where it stopped.")
    if isinstance(outcome, Failure):
        return base_failed(case, outcome) if outcome.reason in UNKNOWN else None
    if not run.comparisons.get((BASE, case)):
        return not_measured(case, "its answer was compared with nothing", "Name a `reference:` that answers here.")
    return None


def base_failed(case: Case, failure: Failure) -> Said:
    passing = failure.reason in PASSING
    advice = "Run the same command again, which tries base anew." if passing else "Mend what keeps base from answering."
    return not_measured(case, happened(failure), advice, trace(failure))


def slower(run: Run, case: Case, ratio: Ratio) -> Said:
    function = run.kernels[case.kernel].custom
    return Said(
        sentence=f"{function} on workload {case.workload} is slower than at base: {measured(ratio)}, {decided(ratio)}",
        evidence=times(run, case, ratio),
        advice=f"Profile {function} here and at base on {case.workload}; look at tile sizes, loads and copies first.",
    )


def slower_in_all(run: Run, kernel: str, ratio: Ratio) -> Said:
    function = run.kernels[kernel].custom
    workloads = count(len(run.of_kernel(kernel)), "workload")
    return Said(
        sentence=f"{function} is slower than at base over its {workloads} together, though on none of them alone: "
        f"{measured(ratio)}, {decided(ratio)}",
        evidence=spread(ratio),
        advice=f"Profile {function} here and at base; look for work that every call has to do.",
    )


def together(shift: Shift) -> Said:
    return Said(
        sentence=f"{shift.cases} of {count(shift.of, 'case')} moved together by about {change(shift.median)} against "
        "base, and no fresh processes have borne it out: a clock, a neighbour or a build, and no kernel is blamed",
        advice="Measure again on an idle machine, after deleting `.kgate`; if it comes back, compare how both commits "
        "are built.",
        undecided=True,
    )


def not_measured(case: Case, why: str, advice: str, evidence: Mapping[str, str] | None = None) -> Said:
    return Said(
        sentence=f"base could not be measured on workload {case.workload}: {why}",
        evidence=evidence or {},
        advice=f"{advice} Where base cannot be measured here, `--base none` lets the stored baseline decide.",
        undecided=True,
    )
