"""What the stored baseline holds of a case, and whether it may be compared with this run."""

from kgate.model import Case, Run, StoredCase
from kgate.rules._law import stable_name


def stored_of(run: Run, case: Case) -> StoredCase | None:
    return run.baseline.cases.get(stable_name(case)) if run.baseline else None


def differing(run: Run) -> tuple[str, ...]:
    """Must-match fields in which this run and the baseline differ, each as `torch 2.10 → 2.11`."""
    if run.baseline is None:
        return ()
    old, new = run.baseline.fingerprint, run.fingerprint
    names = old.differences(new)
    return tuple(f"{n} {old.must_match.get(n, 'unknown')} → {new.must_match.get(n, 'unknown')}" for n in names)


def comparable(run: Run) -> bool:
    return run.baseline is not None and not differing(run)
