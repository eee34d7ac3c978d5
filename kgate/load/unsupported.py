"""Fields and rules that the schema has from version 1 and that are not there yet: refused by name, never ignored."""

from collections.abc import Iterator

from kgate.load.document import Fields, Mark, refusal
from kgate.rules import RULES

KERNEL = (
    "unfused",
    "inputs",
)
SENTENCE = "not supported by this version; remove it"


def refuse(top: Fields) -> None:
    """Raises ManifestError for the first of them, in the order of the file."""
    found = sorted(marks(top), key=lambda pair: pair[0].line)
    if found:
        raise refusal(found)


def marks(top: Fields) -> Iterator[tuple[Mark, str]]:
    known = {rule.NAME for rule in RULES}
    yield from ((mark, SENTENCE) for rule, _, mark in top.fields("policy").marked() if rule not in known)
    for kernel in top.fields("kernels").values():
        yield from of_kernel(kernel)


def of_kernel(kernel: Fields) -> Iterator[tuple[Mark, str]]:
    for name in KERNEL:
        if name in kernel:
            yield kernel.marks[name], SENTENCE
    if kernel.get("ranks", 1) > 1:
        yield kernel.marks["ranks"], f"{kernel['ranks']} ranks are not supported by this version; write 1, or remove it"
