"""
What a change is held to: base's values against head's as typed changes, and which of both judge. Values in and out.

Loosened and removed values are base's until an owner approves, what is added or tightened applies at once, and what was
moved cannot be weighed against what it was: head is judged by its own, and an owner has to approve.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from kgate.model import Amendment, Manifest, Owed
from kgate.terms.debt import counted
from kgate.terms.enforced import enforced
from kgate.terms.held import Held
from kgate.terms.kernels import of_entries
from kgate.terms.manifests import of_manifest
from kgate.terms.renames import Renames, renames
from kgate.terms.stored import of_baselines, of_debt

__all__ = ["Change", "Held", "Renames", "counted", "enforced"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """All that judges, at base and at head."""

    base: Held
    head: Held

    @cached_property
    def names(self) -> Renames:
        return renames(self.base, self.head)

    @cached_property
    def amendments(self) -> tuple[Amendment, ...]:
        """In the order of head's manifest; none where both hold the same."""
        return (
            *of_manifest(self.base, self.head),
            *of_entries(self.base, self.head, self.names),
            *of_baselines(self.base, self.head, self.names),
            *of_debt(self.base, self.head, self.names),
        )

    def judging(
        self, approved_by: tuple[str, ...], approved: Collection[str] = ()
    ) -> tuple[Manifest, Manifest, tuple[Owed, ...]]:
        """
        The manifest that judges head, base's in head's words, and the debt that counts. `approved`: names of amendments
        that reviews have let through, beside what `approved_by` may.
        """
        wanting = (a for a in self.amendments if a.wants_approval and a.name not in approved)
        pending = tuple(a for a in wanting if not a.approved(approved_by))
        old = self.names.applied(self.base.manifest, self.head.manifest)
        debt = counted(self.base.debt, self.head.debt, self.names, pending)
        return enforced(old, self.head.manifest, pending), old, debt
