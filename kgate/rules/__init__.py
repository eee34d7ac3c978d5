"""
One file per law, and the table of them.

A rule reads a `Run` and nothing else: it opens no file, starts no process, and one fault is blamed once, by the rule
that names it best. What base shows as well is marked pre-existing and does not block.
"""

import difflib
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timezone

from kgate.errors import UsageError
from kgate.model import BASE, FALLBACK, HEAD, Accepted, Finding, Level, Owed, Run, Scope, passed
from kgate.model.declared import RULE_NAMES
from kgate.rules import (
    check_too_loose,
    contract_broken,
    debt_expired,
    does_not_run,
    evidence_missing,
    fallback_latched,
    fallback_missing,
    fallback_raises,
    fallback_silent,
    fallback_untested,
    fallback_wrong,
    gate_loosened,
    grown,
    instrument_failed,
    kernel_unlisted,
    less_exact_than_baseline,
    no_baseline,
    no_reference,
    no_workloads,
    nondeterministic,
    not_measured,
    owner_cannot_act,
    owner_mismatch,
    owner_missing,
    path_not_taken,
    slower_than_base,
    slower_than_baseline,
    slower_than_fallback,
    switch_without_effect,
    unsteady,
    wrong_result,
)
from kgate.rules._base import as_base
from kgate.rules._difference import difference
from kgate.rules._fresh import without_fault
from kgate.rules._law import Limit, RuleModule
from kgate.rules._promises import NOT_TRIED, kept
from kgate.rules._state import DIFFERS, NOT_HERE, happened

__all__ = [
    "DIFFERS",
    "NOT_HERE",
    "NOT_TRIED",
    "RULES",
    "Limit",
    "RuleModule",
    "as_base",
    "difference",
    "explain",
    "happened",
    "judge",
    "kept",
    "level_of",
    "overview",
]

# As a reader wants to hear of them: does it run, is it right, can we get out, who answers, is it fast.
RULES: tuple[RuleModule, ...] = (
    does_not_run,
    contract_broken,
    wrong_result,
    nondeterministic,
    check_too_loose,
    fallback_missing,
    fallback_raises,
    fallback_wrong,
    switch_without_effect,
    fallback_untested,
    fallback_latched,
    fallback_silent,
    path_not_taken,
    gate_loosened,
    debt_expired,
    owner_missing,
    owner_cannot_act,
    owner_mismatch,
    kernel_unlisted,
    no_workloads,
    evidence_missing,
    slower_than_base,
    slower_than_fallback,
    slower_than_baseline,
    unsteady,
    less_exact_than_baseline,
    grown,
    no_reference,
    not_measured,
    instrument_failed,
    no_baseline,
)
# What times alone can show. They say nothing where the run's controls have failed.
OF_TIMES: tuple[RuleModule, ...] = (slower_than_base, slower_than_fallback, slower_than_baseline, unsteady)
RIVALS: Mapping[str, str] = {slower_than_base.NAME: BASE.name, slower_than_fallback.NAME: FALLBACK.name}
CALIBRATED = (slower_than_base.NAME, slower_than_fallback.NAME)
# What `kgate drill` can answer.
WAY_OUT: tuple[RuleModule, ...] = (
    does_not_run,
    fallback_missing,
    fallback_raises,
    fallback_wrong,
    switch_without_effect,
    fallback_untested,
    fallback_latched,
    fallback_silent,
    not_measured,
)


def judge(run: Run, policy: Mapping[str, Level], today: date | None = None) -> tuple[Finding, ...]:
    """Every finding, worst first and otherwise in the order of RULES and of the run's cases. `today` is UTC's."""
    day = today or datetime.now(timezone.utc).date()
    shown_by_base = {f.identity for f in stated(as_base(run), policy, day) if not f.undecided}
    owed = {entry.identity: entry for entry in run.terms.debt}
    found = within_bounds(stated(run, policy, day), run, day)
    findings = [settled(run, f, shown_by_base, owed.get(f.identity)) for f in found]
    return tuple(sorted((f for f in findings if not said_by_others(run, f, findings)), key=badness))


def within_bounds(found: Iterable[Finding], run: Run, today: date) -> Iterator[Finding]:
    """What somebody has accepted up to a bound and a day warns at the most."""
    known = {entry.identity: entry for entry in run.terms.accepted if not passed(entry.until, today)}
    for finding in found:
        entry = known.get((finding.rule, finding.name))
        if entry is None or finding.undecided or exceeds(finding, run, entry):
            yield finding
        else:
            told = {"accepted": f"{entry.place}: up to {entry.bound:+.1%} until {entry.until}, {entry.reason}"}
            level = min(finding.level, Level.WARN)
            yield replace(finding, level=level, evidence={**finding.evidence, **told})


def exceeds(finding: Finding, run: Run, entry: Accepted) -> bool:
    """By the ratio that the finding is about; one that is not there is beyond any bound."""
    latency = next((run.latency.get(case) for case in run.cases if case.stable_name == finding.name), None)
    ratio = latency.ratio(HEAD.name, RIVALS[entry.rule]) if latency and entry.rule in RIVALS else None
    return ratio is None or ratio.median - 1 > entry.bound


def settled(run: Run, finding: Finding, shown_by_base: Collection[tuple[str, str, str]], owed: Owed | None) -> Finding:
    """
    Whether base or the debt file knows of it; what could not be decided is known to nobody. Where base was asked as
    well and is without the fault, an entry for it is of a fault that has been mended since.
    """
    if finding.undecided:
        return finding
    known = finding.identity in shown_by_base
    if owed is None:
        return replace(finding, pre_existing=known)
    counts = known or not without_fault(run, finding)
    mended = "" if counts else "; it does not count, since base is without this fault"
    told = {"debt": f"{owed.place}: {owed.owner} until {owed.expires}{mended}"}
    return replace(finding, pre_existing=counts, evidence={**finding.evidence, **told})


def said_by_others(run: Run, finding: Finding, others: Collection[Finding]) -> bool:
    """Whether there is nothing to say: another finding has said it, or an entry that is due names no old fault."""
    if finding.rule == debt_expired.NAME:
        return not debt_expired.still_there(finding, others)
    return gate_loosened.said_by_others(finding, others) or kernel_unlisted.said_by_others(run, finding, others)


def stated(run: Run, policy: Mapping[str, Level], today: date) -> list[Finding]:
    """What all rules say of a run, in the order of RULES."""
    findings: list[Finding] = []
    void = run.instrument is not None and run.instrument.voids
    most = heaviest(run, policy)
    for rule in RULES:
        level = level_of(rule.NAME, policy, run.on_gpu)
        if rule is instrument_failed:
            level = min(level, most)  # an open question weighs no more than its answer would
        asked = not run.drills_only or rule in WAY_OUT
        if level is not Level.OFF and asked and not (void and rule in OF_TIMES):
            limit = Limit(rule=rule.NAME, level=level, today=today, chosen=rule.NAME in policy)
            findings += [raised(finding, run) for finding in rule.judge(run, limit)]
    return findings


def heaviest(run: Run, policy: Mapping[str, Level]) -> Level:
    """The highest level at which anything can be said of this run's times."""
    levels = {rule.NAME: level_of(rule.NAME, policy, run.on_gpu) for rule in OF_TIMES}
    found = run.standing.calibration
    known = found is not None and any(found.decides((case.stable_name,)) for case in run.cases)
    raises = known and any(levels[name] is Level.WARN for name in CALIBRATED)
    return Level.FAIL if raises else max(levels.values())


def raised(finding: Finding, run: Run) -> Finding:
    """
    At level fail where the policy only warns, on cases that a reviewed calibration knows well enough. Of the rules that
    compare arms of the same launches alone: that is what has been calibrated.
    """
    found = run.standing.calibration
    if found is None or finding.level is not Level.WARN or finding.rule not in CALIBRATED:
        return finding
    of_kernel = tuple(case.stable_name for case in run.of_kernel(finding.kernel))
    known = found.decides((finding.name,) if finding.scope is Scope.CASE else of_kernel)
    return replace(finding, level=Level.FAIL) if known else finding


def badness(finding: Finding) -> int:
    """0 blocks; 1 blocks until it is known; 2 has to be seen; 3 is for the record."""
    if finding.blocks:
        return 1 if finding.undecided else 0
    return 3 if finding.level is Level.NOTE else 2


def level_of(name: str, policy: Mapping[str, Level], on_gpu: bool) -> Level:
    """The policy's word, else the rule's: its level on a CPU where it has one, else its default."""
    rule = named(name)
    if name in policy:
        return policy[name]
    return rule.DEFAULT if on_gpu or rule.ON_CPU is None else rule.ON_CPU


def named(name: str) -> RuleModule:
    for rule in RULES:
        if name == rule.NAME:
            return rule
    if name in RULE_NAMES:
        raise UsageError(f"the rule {name} is known, but not in this version; `kgate explain` lists those that are")
    near = difflib.get_close_matches(name, [r.NAME for r in RULES], n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no rule is called {name!r}{meant}; `kgate explain` lists them all")


def explain(name: str) -> str:
    """The page of one rule. Raises UsageError with the nearest name, or for a rule of another version."""
    rule = named(name)
    paragraphs = (
        rule.NAME,
        f"Wants: {rule.WANTS}",
        f"Why: {rule.WHY}",
        f"To satisfy it: {rule.SATISFY}",
        f"Level: {levels(rule)}; the manifest may set it: `policy: {{{rule.NAME}: off | note | warn | fail}}`",
    )
    return "\n\n".join(textwrap.fill(text, 80, break_on_hyphens=False) for text in paragraphs)


def levels(rule: RuleModule) -> str:
    """`fail`, or `fail (note on a CPU)`."""
    on_cpu = "" if rule.ON_CPU is None else f" ({rule.ON_CPU.name.lower()} on a CPU)"
    return f"{rule.DEFAULT.name.lower()}{on_cpu}"


def overview() -> str:
    """All rules, one line each, with their level."""
    name_width = max(len(rule.NAME) for rule in RULES)
    level_width = max(len(levels(rule)) for rule in RULES)
    lines = [f"{rule.NAME:{name_width}}  {levels(rule):{level_width}}  {rule.WANTS}" for rule in RULES]
    return "\n".join(lines) + "\n\n`kgate explain RULE` says why, and how to satisfy it."
