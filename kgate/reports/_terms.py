"""What the change is held to: typed changes against base, old faults, kernels in the code."""

from typing import Any

from kgate.figures import count
from kgate.model import KINDS, Amendment, Found, Owed, Place, Terms


def line(terms: Terms) -> str:
    """`against base: 1 loosened, 2 added; 1 approved by @ada`; "" where nothing has changed."""
    numbers = {kind: sum(a.kind == kind for a in terms.amendments) for kind in reversed(KINDS)}
    told = ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
    approved = [a for a in terms.amendments if a.wants_approval and terms.approved(a)]
    names = dict.fromkeys(name for a in approved for name in terms.approvers(a))
    by = f"; {len(approved)} approved by {', '.join(names)}" if approved else ""
    owed = f"; {count(len(terms.debt), 'old fault')} known (`kgate debt`)" if terms.debt else ""
    return f"limits against base: {told or 'none changed'}{by}{owed}" if told or owed else ""


def document(terms: Terms) -> dict[str, Any]:
    return {
        "unheld": terms.unheld,
        "approved_by": list(terms.approved_by),
        "amendments": [amendment(terms, a) for a in terms.amendments],
        "debt": [owed(entry) for entry in terms.debt],
        "found": None if terms.inventory is None else [found(each) for each in terms.inventory.found],
    }


def amendment(terms: Terms, made: Amendment) -> dict[str, Any]:
    return {
        "kind": made.kind,
        "what": made.what,
        "kernel": made.kernel,
        "workload": made.workload,
        "before": made.before,
        "after": made.after,
        "owners": list(made.owners),
        "approved": terms.approved(made) if made.wants_approval else None,
        "place": place(made.place),
    }


def owed(entry: Owed) -> dict[str, Any]:
    named = {name: getattr(entry, name) for name in ("rule", "scope", "name", "owner", "expires")}
    return {**named, "place": place(entry.place)}


def found(seen: Found) -> dict[str, Any]:
    return {
        "name": seen.name,
        "how": seen.how,
        "listed": seen.listed,
        "ignored": seen.ignored is not None,
        "owners": list(seen.owners),
        "place": place(seen.place),
    }


def place(at: Place | None) -> dict[str, Any] | None:
    return {"path": at.path, "line": at.line} if at else None
