"""The custom path is slower than the stored baseline says it was."""

import math
from collections.abc import Iterable
from dataclasses import replace

from kgate.figures import change, time_of
from kgate.model import BASE, FALLBACK, HEAD, Case, Finding, Latency, Level, Run, StoredCase
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import custom_right, proven_right
from kgate.rules._stored import comparable, differing, stored_of

NAME = "slower-than-baseline"
DEFAULT = Level.WARN
ON_CPU: Level | None = Level.NOTE
WANTS = "The custom path takes no longer than the stored baseline, beyond 15 % and beyond what launches differ by."
WHY = (
    "Base is measured live and decides where it can; the baseline remembers further back. It decides only where no "
    "base could be run, and only on the same fingerprint, since another day is another clock. Many losses, each too "
    "small to be called one, are a warning once they have added up while the fallback, by the same clock, lost nothing."
)
SATISFY = (
    "Win the time back, or, if the new time is the right one, record it with `kgate baseline record` in a change that "
    "an owner reviews."
)
# Day-to-day change of an honest kernel on one machine stays below this; see the measurement pages of the documentation.
MARGIN = 1.15
ONCE_IN_A_HUNDRED = 0.99  # one-sided: how sure the prediction interval is to hold the next launch


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        stored = stored_of(run, case)
        latency = run.latency.get(case)
        now_ns = latency.median_ns.get(HEAD.name) if latency else None
        if stored is None or latency is None or now_ns is None or not custom_right(run, case):
            continue
        if now_ns / stored.custom_ns <= max(MARGIN, predicted(stored)):
            continue
        # A base that is wrong, or not known to be right, is no rival: its ratio decides nothing.
        live = proven_right(run, BASE, case) and latency.ratio(HEAD.name, BASE.name) is not None
        alike = comparable(run) and same_timer(run, stored, latency)
        # A note where it says nothing, unless the policy has switched the rule off already.
        most = Level.NOTE if not alike else limit.level if not live else crept(latency, stored)
        finding = said(run, case, now_ns, stored, decider(run, stored, latency, live))
        yield of_case(run, replace(limit, level=Level(min(limit.level, most))), case, finding)


def crept(latency: Latency, stored: StoredCase) -> Level:
    """A loss that the fallback has not had as well is no other clock; this change need not be the one that made it."""
    now_ns, fallback_ns = latency.median_ns[HEAD.name], latency.median_ns.get(FALLBACK.name)
    if not fallback_ns or not stored.fallback_ns:
        return Level.NOTE
    loss = (now_ns / fallback_ns) / (stored.custom_ns / stored.fallback_ns)
    return Level.WARN if loss > max(MARGIN, predicted(stored)) else Level.NOTE


def predicted(stored: StoredCase) -> float:
    """The largest ratio that one more launch like the stored ones would show once in a hundred times."""
    from kgate.stats import t_quantile  # with its arrays, which `kgate explain` need not load

    freedom = stored.launches - 1
    if freedom < 1:
        return math.inf
    return math.exp(t_quantile(ONCE_IN_A_HUNDRED, freedom) * stored.spread_log * math.sqrt(1 + 1 / stored.launches))


def said(run: Run, case: Case, now_ns: float, stored: StoredCase, decider: str) -> Said:
    function = run.kernels[case.kernel].custom
    baseline = run.baseline
    where = f"{baseline.path} of {baseline.date}" if baseline else ""
    return Said(
        sentence=f"{function} on workload {case.workload} is slower than its stored baseline: "
        f"{change(now_ns / stored.custom_ns)}, {time_of(stored.custom_ns)} → {time_of(now_ns)}; {decider}",
        evidence={
            "baseline": where,
            "expected at most": change(max(MARGIN, predicted(stored))),
            "stored launches": str(stored.launches),
        },
        advice="See what changed since the baseline's commit with `kgate baseline diff`; record anew if this is right.",
    )


def decider(run: Run, stored: StoredCase, latency: Latency, live: bool) -> str:
    if differences := differing(run):
        return f"recorded on another fingerprint ({', '.join(differences)}), so it decides nothing"
    if not same_timer(run, stored, latency):
        return f"recorded by another timer than {latency.method}, so it decides nothing"
    if live and crept(latency, stored) is Level.WARN:
        return "many losses, this change's or earlier ones, that add up while the fallback is as fast as it was"
    if live:
        return "base was measured live and decides"
    return "no right base was measured beside it, so the baseline decides"


def same_timer(run: Run, stored: StoredCase, latency: Latency) -> bool:
    return run.baseline is not None and run.baseline.method_of(stored) == latency.method
