"""A decision for people, on one screen, and for programs. What trace and report said is escaped for a terminal."""

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Sequence

from kgate import __version__
from kgate.escape import plain
from kgate.evidence import Decided, ceiling
from kgate.evidence.conditions import State, end_to_end, percent
from kgate.evidence.usage import Group, Usage
from kgate.figures import count, digits, factor, time_of

FORMAT = 1  # raised when a reader of the old form would misread the new one
WIDTH = 100
MARGIN = 9  # the column of states
SHOWN = 5  # groups of a kind
YES_NO = {True: "yes", False: "no", None: "not known"}


def text(found: Decided) -> str:
    """The recommendation first, then the conditions, then what the trace says."""
    said = found.recommendation
    lines = wrapped(f"kgate decide {plain(found.known.kernel.name)}: {said.advice.value}; {plain(said.why)}", 2)
    lines += ["", f"hot: {YES_NO[said.hot]}; stable shapes: {YES_NO[said.stable]}", ""]
    for condition in found.conditions:
        tell = plain(condition.found) or "no evidence"
        lines += wrapped(f"{condition.state.value:<{MARGIN}}{condition.name}: {tell}", MARGIN + 2)
        if condition.state is not State.SHOWN:
            lines += wrapped(f"{'':{MARGIN}}→ {plain(condition.todo)}", MARGIN + 2)
    if found.known.usage and found.known.usage.calls:
        lines += ["", *profile(found.known.usage)]
    return "\n".join(lines) + "\n"


def profile(usage: Usage) -> Iterator[str]:
    where = "GPU" if usage.on_device else "CPU"
    yield f"{time_of(usage.used_ns)} of {time_of(usage.whole_ns)} {where} time: {percent(usage.share)}"
    if end_to_end(usage) != usage.share:
        yield f"the GPU worked in {percent(usage.busy)} of {time_of(usage.elapsed_ns)}: {percent(end_to_end(usage))}"
    bound = ceiling.gain(end_to_end(usage))
    yield f"ceiling: {factor(bound)}, without any cost of its own ({ceiling.SOURCE}: 1 / (1 − share))"
    by = {"range": "by the ranges of these names", "rows": "by rows of the first matrix (`--decode-rows`)"}
    yield from groups("phase", usage.by_phase, usage, f", {by.get(usage.phases_by, '')}")
    yield from groups("operator", usage.by_operator, usage)
    yield from groups("shape", usage.by_shape, usage, f", {usage.shapes.distinct} distinct" if usage.shapes else "")
    yield from groups("module", usage.by_module, usage)


def groups(kind: str, found: Sequence[Group], usage: Usage, note: str = "") -> Iterator[str]:
    if not found:
        return
    yield f"by {kind}{note}:"
    for group in found[:SHOWN]:
        share = percent(group.ns / usage.whole_ns) if usage.whole_ns else "–"
        each = time_of(group.ns / group.calls)
        yield f"  {share:>7}  {count(group.calls, 'call'):>12}  {each:>8} each  {plain(group.name, 60)}"
    if len(found) > SHOWN:
        yield f"  and more; `--format json` has the {len(found)} largest"


def wrapped(line: str, further: int) -> list[str]:
    """A path or a command that is longer than a line stays whole, to be copied."""
    indent = " " * further
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def document(found: Decided) -> str:
    """JSON, against schemas/decide.schema.json. Stored, it is what a manifest's `evidence: {profile: …}` may name."""
    usage = found.known.usage
    bound = ceiling.gain(end_to_end(usage)) if usage else None
    body = {
        "format": FORMAT,
        "kgate": __version__,
        "kernel": found.known.kernel.name,
        "recommendation": {**dataclasses.asdict(found.recommendation), "advice": found.recommendation.advice.value},
        "conditions": [{**dataclasses.asdict(c), "state": c.state.value} for c in found.conditions],
        "profile": found.known.profile,
        "patterns": list(found.known.patterns),
        "usage": dataclasses.asdict(usage) if usage else None,
        "share": usage.share if usage else None,
        "share_of_elapsed": end_to_end(usage) if usage else None,
        "ceiling": digits(bound) if bound == float("inf") else bound,
        "pace": dataclasses.asdict(found.known.pace) if found.known.pace else None,
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


FORMATS = {"text": text, "json": document}
