"""
Comparisons decided once more: bounds from the manifest that judges and from the fallback's own error, and from the
metrics which of them are broken. What was decided where they were made is not read.

What cannot be decided again, since it needs the tensors: the words of a comparer that is not elementwise, and a
mismatch of number, shape or dtype beyond what the answer itself declares.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgate import drills
from kgate.answers import Answers, question
from kgate.compare import broken
from kgate.correctness import by_arm, known, name_of
from kgate.latency import AGAIN
from kgate.model import (
    AFRESH,
    FALLBACK,
    FENCED,
    HEAD,
    REFERENCE,
    Arm,
    Bound,
    Case,
    Comparison,
    Measurement,
    Outcome,
    Route,
    Tensor,
    of_base,
)
from kgate.plan import DRILLS, ORDER
from kgate.runner import records
from kgate.setting import Setting

# Without these nothing tells whether a bound holds.
NEEDED = frozenset({"row_error", "relative_l2", "psnr", "cosine", "mismatch"})
TIMED_ARMS = (HEAD, FALLBACK)

Key = tuple[Arm, Case]


def redecide(here: Setting) -> None:
    """In the ledger, which is this process's own copy. A comparison that nothing can be decided by is taken out."""
    answers = Answers(outcomes=dict(outcomes(here)), comparisons={})
    found: dict[Key, tuple[Comparison, ...]] = {}
    keys = sorted(answers.outcomes, key=lambda key: key[0].route is not Route.FALLBACK)
    for arm, case in keys:
        made = again(here, replace(answers, comparisons=found), (arm, case), "comparison", name_of(arm, case))
        if made:
            found[arm, case] = made
    answers = replace(answers, comparisons=found)
    for kind in ("timed", f"{AGAIN} timed"):
        for name in here.ledger.all(kind):
            if (key := timed_key(here, name)) is not None:
                again(here, with_sample(here, answers, key, kind, name), key, kind, name)
            else:
                here.ledger.entries.pop((kind, name))


def outcomes(here: Setting) -> Iterator[tuple[Key, Outcome]]:
    drilled = (*DRILLS, *drills.ARMS)
    besides = (FENCED, AFRESH, *drilled)
    arms = (*ORDER, REFERENCE, *besides, *map(of_base, besides))
    for arm in arms:
        for case in (*here.plan.cases, *here.plan.variants):
            if (outcome := known(here, arm, case)) is not None:
                yield from by_arm(arm, case, outcome).items()


def timed_key(here: Setting, name: str) -> Key | None:
    """Of `head|8|case`."""
    arm, _, rest = name.partition("|")
    _, _, case = rest.partition("|")
    arms = {known.name: known for known in TIMED_ARMS}
    cases = {known.name: known for known in here.plan.cases}
    return (arms[arm], cases[case]) if arm in arms and case in cases else None


def with_sample(here: Setting, answers: Answers, key: Key, kind: str, name: str) -> Answers:
    """With the sample in place of the arm's first answer."""
    sample = here.ledger.read(kind.replace("timed", "sample"), name, records.outcome_from_json)
    return answers if sample is None else replace(answers, outcomes={**answers.outcomes, key: sample})


def again(here: Setting, answers: Answers, key: Key, kind: str, name: str) -> tuple[Comparison, ...]:
    """What the entry says now; () where it was taken out, or was not there."""
    given = here.ledger.read(kind, name, records.comparisons_from_json)
    if given is None:
        return ()
    made = decided(here, answers, key, given)
    if made:
        here.ledger.entries[kind, name] = records.comparisons_to_json(made)
    else:
        here.ledger.entries.pop((kind, name))
    return made


def decided(here: Setting, answers: Answers, key: Key, given: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    arm, case = key
    answer = answers.outcomes.get(key)
    if not isinstance(answer, Measurement) or not given:
        return ()
    if any(one.mismatch for one in given):
        return given  # nobody says so to be let through
    asked = question(here, answers, arm, case, answer.outputs, Measurement(outputs=answer.outputs))
    if [one.output for one in given] != list(range(len(answer.outputs))):
        return ()
    if sentence := mismatch(answer.outputs, asked.like, asked.giver):
        return (replace(given[0], metrics={}, mismatch=sentence),)
    if not all(map(whole, given, answer.outputs)):
        return ()
    own = bool(here.plan.kernels[case.kernel].compare)
    return tuple(judged(one, bound, keep=own) for one, bound in zip(given, asked.bounds, strict=True))


def judged(found: Comparison, bound: Bound, *, keep: bool) -> Comparison:
    """`keep`: what broke is a comparer's word, which element by element says nothing of."""
    return replace(found, bound=bound, broken=found.broken if keep else broken(found.metrics, bound))


def whole(found: Comparison, output: Tensor) -> bool:
    """Of this output, with all that a bound asks for; nothing has to be known of an output without elements."""
    if (found.dtype, found.shape) != (output.dtype, output.shape):
        return False
    return found.metrics.keys() >= NEEDED or (not found.metrics and 0 in output.shape)


def mismatch(outputs: Iterable[Tensor], like: Iterable[Tensor] | None, giver: str) -> str:
    """Number, shape and dtype as the answers declare them; "" where they fit."""
    if like is None:
        return ""
    mine, theirs = (tuple((t.dtype, t.shape) for t in tensors) for tensors in (outputs, like))
    if len(mine) != len(theirs):
        return f"{len(mine)} outputs, {giver} gives {len(theirs)}"
    apart = next((index for index, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other), None)
    return "" if apart is None else f"output {apart} is {told(mine[apart])}, {giver} gives {told(theirs[apart])}"


def told(form: tuple[str, tuple[int, ...]]) -> str:
    dtype, shape = form
    return f"{dtype}{list(shape)}"
