"""What a worker says besides its times: clocks, throttling, the timer's step. Bounded before anything reads it."""

from collections.abc import Mapping, Sequence

from kgate.protocol import Times
from kgate.runner.printable import printable

MOST = 100  # of one block
LETTERS = 500  # of one name or text


def unfit(times: Times) -> str:
    """Why these notes are not taken, as the end of a sentence; "" if they are."""
    words = (times.method, *times.notes, *(value for value in times.notes.values() if isinstance(value, str)))
    if len(times.notes) > MOST or any(len(word) > LETTERS for word in words):
        return f"gave more than {MOST} notes with its times, or one of more than {LETTERS} characters"
    if any(word != printable(word) for word in words):
        return "gave notes with its times that are no text"
    return ""


def noted(blocks: Sequence[Times], key: str) -> float:
    return sum(value for b in blocks if not isinstance(value := b.notes.get(key, 0), str))


def merged(times: Mapping[str, Sequence[Times]]) -> dict[str, str | int | float]:
    """The blocks' notes as `arm.key`: distinct texts joined, and of a number that moved its least and its largest."""
    notes: dict[str, str | int | float] = {}
    for arm, blocks in times.items():
        for key in sorted({k for b in blocks for k in b.notes}):
            values = [b.notes[key] for b in blocks if key in b.notes]
            numbers = [v for v in values if not isinstance(v, str)]
            if len(numbers) < len(values):
                notes[f"{arm}.{key}"] = "; ".join(dict.fromkeys(str(v) for v in values))
            elif min(numbers) == max(numbers):
                notes[f"{arm}.{key}"] = numbers[0]
            else:
                notes[f"{arm}.{key}.least"], notes[f"{arm}.{key}.most"] = min(numbers), max(numbers)
    return notes
