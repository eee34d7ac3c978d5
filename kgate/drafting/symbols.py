"""Names for what varies between calls: one for each row of values, wherever it stands."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

from kgate.load.workloads import FIELDS

SIZES = ("N", "M", "K", "L", "P", "Q", "R", "S", "T", "U", "V", "W")


class Symbols:
    """Of `number` calls. Equal rows share a name: two arguments with the same dimension show that they have it."""

    def __init__(self, number: int, taken: set[str]) -> None:
        self.number = number
        self.taken = {*taken, *FIELDS}
        self.rows: dict[tuple[Any, ...], str] = {}

    def text(self, row: Sequence[Any], wish: str = "") -> Any:
        """The value itself where all calls have it; else its symbol, called `wish` if that is free."""
        if len(set(row)) == 1:
            return row[0]
        key = (*map(type, row), *row)
        if key not in self.rows:
            self.rows[key] = self.free(wish)
        return self.rows[key]

    def free(self, wish: str) -> str:
        names = chain(filter(None, (wish,)), SIZES, (f"N{n}" for n in count(1)))
        used = {*self.rows.values()} | (self.taken - {wish} if wish not in FIELDS else self.taken)
        return next(name for name in names if name not in used)

    def values(self) -> Iterator[Mapping[str, Any]]:
        """Of each call, the value of each symbol."""
        for place in range(self.number):
            yield {name: key[self.number + place] for key, name in self.rows.items()}
