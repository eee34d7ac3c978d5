"""What to do about a kernel, by two axes: how hot its operator is, and how stable the shapes are that it sees."""

from dataclasses import dataclass
from enum import Enum

from kgate.evidence.conditions import HOT, Known, State, conditions, end_to_end, percent
from kgate.evidence.usage import FEW, Usage

STABLE = 0.90  # of the time, in FEW shapes of each operator
TORCH_SHAPES = "record the trace again with `record_shapes=True`"


class Advice(str, Enum):
    REMOVE = "remove the custom path"
    STAY = "stay with the framework"
    NOTE = "note it"
    BATCH = "fix batching first"
    DEEP = "go deep"
    UNKNOWN = "not known yet"


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """`hot` and `stable` are None where nothing tells."""

    advice: Advice
    why: str
    hot: bool | None = None
    stable: bool | None = None


def recommendation(known: Known) -> Recommendation:
    usage = known.usage if known.usage and known.usage.calls else None
    hot = end_to_end(usage) >= HOT if usage else None
    steady = stable(usage) if usage else None
    advice, why = advised(known, usage, hot, steady)
    return Recommendation(advice=advice, why=why, hot=hot, stable=steady)


def advised(known: Known, usage: Usage | None, hot: bool | None, steady: bool | None) -> tuple[Advice, str]:
    if known.pace is not None and not known.pace.faster and not known.elsewhere:
        return Advice.REMOVE, f"it is not shown to be faster than its fallback: {known.pace.text}"
    if usage is None:
        return Advice.UNKNOWN, conditions(known)[0].todo
    share = f"{percent(end_to_end(usage))} of the elapsed time"
    if not hot:
        if steady:
            return Advice.NOTE, f"{share} is too little today; the shapes are stable, so look again when it grows"
        return Advice.STAY, f"{share} is too little to pay for a kernel's upkeep"
    if steady is None:
        return Advice.UNKNOWN, f"{share} is hot, and the trace has no shapes of {lacking(usage)}; {TORCH_SHAPES}"
    if not steady:
        return (
            Advice.BATCH,
            f"{share} is hot, and spread over {scattered(usage)}: a kernel tuned for one misses the rest",
        )
    return Advice.DEEP, f"{share}, in few shapes{wanting(known)}"


def stable(usage: Usage) -> bool | None:
    """None also where calls without recorded shapes could turn the answer."""
    if usage.shapes is None or not usage.used_ns:
        return None
    few_ns, needed_ns = usage.shapes.few_ns, STABLE * usage.used_ns
    return None if few_ns < needed_ns <= few_ns + usage.shapes.unknown_ns else few_ns >= needed_ns


def lacking(usage: Usage) -> str:
    return (
        "its calls" if usage.shapes is None else f"calls that take {percent(usage.shapes.unknown_ns / usage.used_ns)}"
    )


def scattered(usage: Usage) -> str:
    assert usage.shapes is not None
    few = percent(usage.shapes.few_ns / usage.used_ns)
    return f"{usage.shapes.distinct} shapes, the {FEW} largest with {few} of it"


def wanting(known: Known) -> str:
    left = [c.name for c in conditions(known) if c.state is not State.SHOWN]
    return f"; still wanting: {', '.join(left)}" if left else ""
