"""Cases that run the same code as base, in a run: found once, passed by that, and timed as its control."""

from collections.abc import Mapping
from dataclasses import replace

from kgate import identity
from kgate.correctness import Answers
from kgate.decision import Question, answered, evidence
from kgate.load import tree
from kgate.model import BASE, HEAD, Case, Decision, Latency, Tree
from kgate.sequence import Agenda
from kgate.setting import Setting


def of(setting: Setting, answers: Answers) -> frozenset[Case]:
    """On record before the first launch, so that who judges again, without the trees, judges alike."""
    known = setting.ledger.recall("identity", "cases")
    if known is None and setting.base.folder is not None and not setting.manifest.build:
        known = [case.name for case in compared(setting, answers)]
        setting.ledger.record("identity", "cases", known)
    return frozenset(case for case in setting.plan.cases if case.name in (known or ()))


def compared(setting: Setting, answers: Answers) -> frozenset[Case]:
    manifest, pythons = setting.manifest, setting.workplace.python
    if pythons.get(Tree.HEAD) != pythons.get(Tree.BASE) or setting.workplace.device == "cpu":
        return frozenset()
    changes = [identity.Change(path=p, edited=e) for p, e in tree.changes(manifest.root, setting.base.commit).items()]
    prefix = manifest.folder.relative_to(manifest.root).as_posix()
    own = [manifest.path, *([manifest.folder / manifest.baselines] if manifest.baselines else [])]
    names = [path.relative_to(manifest.root).as_posix() for path in own]
    return identity.identical(setting.plan, answers.outcomes, changes, prefix, names)


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
