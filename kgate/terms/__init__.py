"""
What a change is held to: base's values against head's as typed changes, and which of both judge. Values in and out.

Loosened and removed values are base's until an owner approves, what is added or tightened applies at once, and what was
moved cannot be weighed against what it was: head is judged by its own, and an owner has to approve.
"""

from kgate.model import Amendment, Manifest, Owed
from kgate.terms.debt import counted
from kgate.terms.enforced import enforced
from kgate.terms.held import Held
from kgate.terms.kernels import of_entries
from kgate.terms.manifests import of_manifest
from kgate.terms.renames import Renames, renames
from kgate.terms.stored import of_baselines, of_debt

__all__ = ["Held", "Renames", "amendments", "counted", "enforced", "judging", "renames"]


def amendments(base: Held, head: Held) -> tuple[Amendment, ...]:
    """Of all that judges, in the order of head's manifest; none where both hold the same."""
    names = renames(base, head)
    return (
        *of_manifest(base.manifest, head.manifest),
        *of_entries(base, head, names),
        *of_baselines(base, head, names),
        *of_debt(base, head, names),
    )


def judging(head: Held, base: Held, approved_by: tuple[str, ...]) -> tuple[Manifest, Manifest, tuple[Owed, ...]]:
    """The manifest that judges head, base's in head's words, and the debt that counts."""
    names = renames(base, head)
    changes = amendments(base, head)
    pending = tuple(a for a in changes if a.wants_approval and not a.approved(approved_by))
    old = names.applied(base.manifest, head.manifest)
    return enforced(old, head.manifest, pending), old, counted(base.debt, head.debt, names, pending)
