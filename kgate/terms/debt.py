"""Which old faults count: what base knows of is the ceiling, so that debt can only shrink."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgate.model import Amendment, Owed
from kgate.terms.order import until
from kgate.terms.renames import Renames
from kgate.terms.stored import renamed


def counted(
    base: Sequence[Owed], head: Sequence[Owed], names: Renames, pending: Sequence[Amendment]
) -> tuple[Owed, ...]:
    """Head's, but for entries, days and owners that nobody has approved."""
    before = {owed.identity: owed for owed in renamed(tuple(base), names)}
    waiting = {amendment.what for amendment in pending if amendment.what.startswith("debt ")}
    return tuple(counting(before, head, waiting))


def counting(before: dict[tuple[str, str, str], Owed], head: Sequence[Owed], waiting: set[str]) -> Iterator[Owed]:
    for owed in head:
        old = before.get(owed.identity)
        if f"debt {owed.rule} of {owed.name}" not in waiting:
            yield owed
        elif old is not None:
            later = until(old.expires, owed.expires) == "loosened"
            yield replace(owed, owner=old.owner, expires=old.expires if later else owed.expires)
