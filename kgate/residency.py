"""Which cases' arms do not fit into a GPU's memory together. Values in, values out."""

from collections.abc import Iterable, Mapping

from kgate.figures import count
from kgate.model import Arm, Case, Measurement, Outcome

SHARE = 0.95  # of the memory: what is left is the driver's, and lost between pieces
# Of each arm, besides what its call was seen to hold: context, libraries' workspaces, what flushes the cache.
CONTEXT_BYTES = 3 << 28
NAMED = 5


def crowded(
    cases: Iterable[Case], arms: Iterable[Arm], outcomes: Mapping[tuple[Arm, Case], Outcome], memory_bytes: int
) -> tuple[Case, ...]:
    """By what each arm's call was seen to hold at most when it answered alone; of unknown memory nothing is said."""
    timed = tuple(arms)

    def needed(case: Case) -> int:
        answers = [outcomes.get((arm, case)) for arm in timed]
        return sum(CONTEXT_BYTES + held(a) for a in answers if isinstance(a, Measurement))

    return tuple(case for case in cases if memory_bytes and needed(case) > SHARE * memory_bytes)


def held(answer: Measurement) -> int:
    """Bytes; 0 where the worker counts none, as on a CPU."""
    seen = answer.facts.get("peak-bytes", 0)
    return seen if isinstance(seen, int) else 0


def told(cases: tuple[Case, ...]) -> tuple[str, ...]:
    """What a report says of them; nothing of none."""
    if not cases:
        return ()
    names = ", ".join(f"{case.kernel}/{case.workload}" for case in cases[:NAMED])
    more = f" and {len(cases) - NAMED} more" if len(cases) > NAMED else ""
    one = count(len(cases), "case")
    return (f"the arms of {one} do not fit into the GPU's memory together and took turns in it: {names}{more}",)
