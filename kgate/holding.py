"""
Comparisons by a function of the user's: in a process of its own, on exported bytes, by base's function where base has
one. What is element by element has been compared before; of that only the contract counts here.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kgate import comparisons, leniency
from kgate.comparers import of_users
from kgate.comparisons import Question
from kgate.model import HEAD, Arm, Bound, Case, Comparison, Event, Failure, Measurement, Outcome, Route, Tensor, Tree
from kgate.plan import same_signature
from kgate.protocol import ANSWER, CaseJob, Held, Stored, Trial
from kgate.rules import happened
from kgate.runner.errand import Errand
from kgate.runner.outputs import run_outputs
from kgate.setting import Setting

CONDITION = "compare"  # of the arm that a comparison runs in
LIMIT_BYTES = 64 << 20  # of the outputs of a case whose comparison is tried on wrong answers


@dataclass(frozen=True, kw_only=True)
class Asked:
    """`name` tells it from others of a run; `seed` is the refresh seed of its inputs, 0 as drawn."""

    name: str
    arm: Arm
    case: Case
    question: Question
    seed: int = 0

    @property
    def tried(self) -> bool:
        """Whether wrong answers are held against it as well: once a case."""
        return self.arm == HEAD and self.question.size_bytes <= LIMIT_BYTES


def answers(setting: Setting, asked: Sequence[Asked]) -> Iterator[tuple[Comparison, ...]]:
    """In the order given. Raises what `comparisons.answers` raises."""
    plain = comparisons.answers([one.question for one in asked])
    if not any(of_users(one.question.comparer) for one in asked):
        yield from plain
        return
    found = list(plain)
    mine = [
        one
        for one, each in zip(asked, found, strict=True)
        if of_users(one.question.comparer) and not any(c.mismatch for c in each)
    ]
    verdicts = verdicts_on(setting, mine)
    for one, each in zip(asked, found, strict=True):
        yield told(each, entry(setting, one.case), verdicts[one.name]) if one.name in verdicts else each


def verdicts_on(setting: Setting, asked: Iterable[Asked]) -> Mapping[str, Outcome]:
    """By name. Those of one tree in one process."""
    trees: dict[Tree, list[Asked]] = {}
    for one in asked:
        trees.setdefault(tree_of(setting, one.case), []).append(one)
    found: dict[str, Outcome] = {}
    for tree, mine in trees.items():
        arm = Arm(tree=tree, route=Route.REFERENCE, condition=CONDITION)
        workplace = replace(setting.workplace, device="cpu")
        jobs = [job(setting, one) for one in mine]
        found |= run_outputs(workplace, arm, jobs, {}, silent, errand=Errand(mode="compare"))
    return found


def silent(event: Event) -> None:
    """A comparison is no case, and nobody follows its rungs."""


def tree_of(setting: Setting, case: Case) -> Tree:
    """Base's where it has a function of its own: what a change makes of the comparison judges nothing yet."""
    old = setting.plan.base_kernels.get(case.kernel)
    return Tree.BASE if old and of_users(old.compare) and same_signature(setting.plan, case) else Tree.HEAD


def entry(setting: Setting, case: Case) -> str:
    plan = setting.plan
    kernels = plan.base_kernels if tree_of(setting, case) is Tree.BASE else plan.kernels
    return kernels[case.kernel].compare


def job(setting: Setting, one: Asked) -> CaseJob:
    workload = setting.plan.workloads[one.case]
    expected = tuple(map(stored, one.question.reference))
    return CaseJob(
        case=one.name,
        dsl="torch",
        entry=entry(setting, one.case),
        args=dict(workload.args),
        keywords=True,
        symbols=dict(workload.symbols),
        seed=one.seed,
        held=Held(expected=expected, trials=tuple(trials(setting, one))),
        timeout_s=setting.plan.kernels[one.case.kernel].timeout_s,
    )


def trials(setting: Setting, one: Asked) -> Iterator[Trial]:
    """The answer itself; then answers that are wrong, which a comparison that is worth something refuses."""
    outputs = one.question.outputs
    yield Trial(name=ANSWER, outputs=tuple(map(stored, outputs)))
    for word, arrays in leniency.wrong_answers(outputs, one.question.reference) if one.tried else ():
        name = hashlib.sha256(f"{one.name} {word}".encode()).hexdigest()[:16]
        folder = setting.workplace.folder / "wrong"
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for index, (array, output) in enumerate(zip(arrays, outputs, strict=True)):
            path = folder / f"{name}-{index}.bin"
            path.write_bytes(array.tobytes())
            made.append(stored(replace(output, path=path)))
        yield Trial(name=word, outputs=tuple(made))


def stored(tensor: Tensor) -> Stored:
    return Stored(file=str(tensor.path.absolute()), dtype=tensor.dtype, shape=tensor.shape)


def told(found: tuple[Comparison, ...], entry: str, outcome: Outcome) -> tuple[Comparison, ...]:
    """The verdict stands at the first output, and is one on all of them."""
    broken: tuple[str, ...]
    match outcome:
        case Failure():
            accepted, broken = [], (f"{entry}, which compares it, {happened(outcome)}",)
        case Measurement():
            accepted, broken = list(outcome.facts["holds"]), refusal(entry, outcome)
    first, *others = (replace(c, bound=Bound(source=CONDITION), broken=(), accepts=()) for c in found)
    wrong = tuple(word for word in accepted if word != ANSWER)
    return (replace(first, broken=broken, accepts=wrong), *others)


def refusal(entry: str, verdict: Measurement) -> tuple[str, ...]:
    facts = verdict.facts
    if ANSWER in facts["holds"]:
        return ()
    figures = ", ".join(f"{name} {value}" for name, value in facts["figures"].items())
    why = "; ".join(filter(None, (str(facts["said"]), figures)))
    return (f"{entry} refuses it" + (f": {why}" if why else ""),)
