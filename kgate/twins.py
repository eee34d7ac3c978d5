"""Cases that run the same code as base, in a run: found once, passed by that, and timed as its control."""

import os
from collections.abc import Mapping
from dataclasses import replace

from kgate import identity
from kgate.answers import Answers
from kgate.decision import Question, answered, evidence
from kgate.model import BASE, HEAD, Case, Decision, Latency, Tree
from kgate.sequence import Agenda
from kgate.setting import Setting


def of(setting: Setting, answers: Answers) -> frozenset[Case]:
    """On record before the first launch, so that who judges again, without the trees, judges alike."""
    known = setting.ledger.recall("identity", "cases")
    if known is None and setting.base.folder is not None:
        known = [case.name for case in compared(setting, answers)]
        setting.ledger.record("identity", "cases", known)
    return frozenset(case for case in setting.plan.cases if case.name in (known or ()))


def compared(setting: Setting, answers: Answers) -> frozenset[Case]:
    head, base, pythons = setting.manifest, setting.base.manifest, setting.workplace.python
    if base is None or head.build or base.build or pythons.get(Tree.HEAD) != pythons.get(Tree.BASE):
        return frozenset()
    if setting.workplace.device == "cpu":
        return frozenset()
    changes = [identity.Change(path=path, edited=edited) for path, edited in setting.base.changes.items()]
    prefix = head.folder.relative_to(head.root).as_posix()
    # Base's folder of baselines, which was reviewed as one; and not the manifest's own, which may hold anything.
    stored = os.path.normpath(f"{prefix}/{base.baselines}")
    own = [head.path.relative_to(head.root).as_posix(), *([stored] if stored != prefix else [])]
    return identity.identical(setting.plan, answers.outcomes, changes, prefix, own)


def passed(agenda: Agenda, case: Case, seen: Latency) -> Latency:
    """With the ratio to base as launches show it, and decided by what is known without them."""
    asked = Question(cases=(case,), above=HEAD.name, below=BASE.name)
    found = answered({asked: evidence(asked, {case: seen.launches})}, max(1, agenda.tests), min(agenda.errors.values()))
    same = [replace(ratio, decision=Decision.NO_SLOWER, reason="") for ratio in found.values()]
    return replace(seen, ratios=(*same, *seen.ratios))


def told(alike: frozenset[Case], seen: Mapping[Case, Latency]) -> tuple[str, ...]:
    """What a report says of them: they are the run's own control, on its own kernels."""
    timed = alike & seen.keys()
    ratios = [seen[case].ratio(HEAD.name, BASE.name) for case in timed]
    return identity.told(timed, max((abs(r.median - 1) for r in ratios if r is not None), default=0.0))
