"""What `kgate init` could not know and has left to be filled in: refused by name, never taken for an answer."""

from collections.abc import Iterator, Mapping
from typing import Any

from kgate.load.document import Fields, Items, Mark, refusal

WORD = "FILL_IN"
# What is wanted, by the field that a placeholder stands in.
WANTED: Mapping[str, str] = {
    "owners": 'write who answers for the kernel, like "@acme/kernels"',
    "dispatch": "name the function that the product calls, as module:function",
    "custom": "name the function that launches the kernel, as module:function",
    "fallback": "name what the product runs without this kernel, with the same arguments, as module:function",
}
OTHERWISE = "write what belongs here; the comment beside it says what was looked for"


def refuse(top: Fields) -> None:
    """Raises ManifestError for the first of them; one that stands in several places is told once."""
    found: dict[str, Mark] = {}
    for text, mark in texts(top):
        if WORD in text:
            found.setdefault(text, mark)
    if found:
        raise refusal((mark, sentence(text, mark)) for text, mark in found.items())


def sentence(text: str, mark: Mark) -> str:
    field = mark.path.rpartition(".")[2].partition("[")[0]
    return f"{text!r} is still the placeholder of `kgate init`; {WANTED.get(field, OTHERWISE)}"


def texts(value: Any) -> Iterator[tuple[str, Mark]]:
    if isinstance(value, Fields | Items):
        for inner, mark in ((pair[-2], pair[-1]) for pair in value.marked()):
            if isinstance(inner, str):
                yield inner, mark
            else:
                yield from texts(inner)
