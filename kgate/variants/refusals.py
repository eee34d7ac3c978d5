"""
What the manifest says is refused: something that fits each of its lines, and behind it a call that is not refused.

A dispatch that refuses may keep something of the refused call, and answer the next one by it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from kgate.model import Kernel, Refusal, Variant, Workload
from kgate.variants.sizes import MOST_BYTES, Changed, lengths_of, size_bytes

Refuses = Callable[[Workload], Refusal | None]

PAIRS = 2  # refused calls of one line behind which an ordinary one is made
BEYOND = 17  # sizes above the usual one that are looked through for one that a line fits
NUMBER = re.compile(r"\d+")
SMALL, AFTER = "small", "after a refusal"  # kinds


def of_kernel(kernel: Kernel) -> Refuses:
    refused = kernel.refused
    if refused is None:
        return lambda workload: workload.refusal
    return lambda workload: refused(workload.symbols, workload.args)


def untried(kernel: Kernel, found: Sequence[Variant], declared: Iterable[Workload]) -> Iterator[Changed]:
    """Refused workloads that are `declared`; then, of lines that still fit nothing, a size that they fit."""
    refuses = of_kernel(kernel)
    tried = [v.workload.refusal for v in found]
    for workload in declared:
        tried.append(workload.refusal)
        yield "", f"workload {workload.name}", workload
    for line in kernel.refuses:
        if line not in tried and (made := searched(found[0].workload, line, refuses)):
            yield made


def searched(usual: Workload, line: Refusal, refuses: Refuses) -> Changed | None:
    """Of the sizes that the line itself names, and the next ones above the usual, the first that it fits."""
    named = [int(text) + beside for text in NUMBER.findall(line.when) for beside in (0, 1, -1) if len(text) < 10]
    for size in lengths_of(usual):
        for value in dict.fromkeys([*named, *range(size.value + 1, size.value + BEYOND)]):
            made = size.at(usual, value) if value >= 0 else None
            if made is not None and size_bytes(made) <= MOST_BYTES and refuses(made) == line:
                return "", f"{size.name} = {value}", made
    return None


def behind(kernel: Kernel, found: Sequence[Variant]) -> Iterator[Variant]:
    """Behind some refused calls of each line, the call that is asked first of all."""
    usual = next((v for v in found if v.kind == SMALL), None)
    for line in kernel.refuses if usual else ():
        for refused in [v for v in found if v.workload.refusal == line][:PAIRS]:
            assert usual is not None
            change = f"{usual.change} after {refused.change}"
            name = f"{refused.of.workload}~{change.replace(' ', '')}"
            workload = replace(usual.workload, name=name)
            yield Variant(of=refused.of, kind=AFTER, change=change, workload=workload, behind=refused.change)
