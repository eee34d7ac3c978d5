"""
The ledgers of one key as one: what was measured anywhere for the same trees, manifest, choice and fingerprint.

An attempt in another checkout could not go on with the first one's ledger, and counted its launches from 0 as well.
Pooled, they come after the first one's: as if it had gone on, looks that were taken stand as they were.
"""

from collections.abc import Iterator, Sequence

from kgate.errors import UsageError
from kgate.latency import AGAIN
from kgate.model import Failure
from kgate.premises import ATTEMPT, Premises, attempts, read
from kgate.runner import records
from kgate.runner.ledger import JSON, NO_FILE, Ledger
from kgate.sequence import CONFIRMING
from kgate.setting import passing
from kgate.wire import ProtocolError

# Where the launch's number stands in the name of an entry: `8|case`, `head|8|case`.
NUMBERED = {"launch": 0, "control": 0, "sample": 1, "timed": 1}


def known(ledger: Ledger) -> tuple[Premises, JSON]:
    """Raises UsageError for a ledger that a run of an older kgate has written, or none."""
    found = read(ledger)
    if found is None or not attempts(ledger):
        raise UsageError(f"{ledger.path}: does not say what its run was about; run `kgate check` again")
    return found


def pooled(ledgers: Sequence[Ledger]) -> Ledger:
    """In memory, the earliest attempt first. Raises UsageError where two are not of one key."""
    first, *others = sorted(ledgers, key=lambda ledger: (known(ledger), attempts(ledger)[0].started)[1])
    whole = Ledger(first.path, NO_FILE, dict(first.entries))
    for ledger in ledgers if others else ():
        if any(kind.startswith(AGAIN) for kind, _ in ledger.entries):
            raise UsageError(
                f"{ledger.path}: its controls failed and it was measured a second time, so its launches are not pooled "
                "with others; give it a report of its own"
            )
    for other in others:
        if different := differing(known(first)[0], known(other)[0]):
            raise UsageError(
                f"{other.path}: is not of the same run as {first.path}: another {different}; give one `kgate report` "
                "the attempts at one thing, and each thing a report of its own"
            )
        add(whole, other)
    return whole


def differing(one: Premises, other: Premises) -> str:
    """In what two runs differ, "" if both are of one key."""
    if one.key == other.key:
        return ""
    named = ("version", "manifest", "head", "base", "target", "kernels", "fingerprint")
    return next((name for name in named if getattr(one, name) != getattr(other, name)), "environment or work tree")


def add(whole: Ledger, other: Ledger) -> None:
    """
    Of outcomes the first stands, so that nobody draws a right answer by trying again; but for those of the machine.

    An attempt that was copied twice is the same attempt.
    """
    if set(other.all(ATTEMPT)) <= set(whole.all(ATTEMPT)):
        return
    after = dict(zip(sorted(numbers(other)), free(whole), strict=False))
    unsound = {name.rpartition("|")[2] for name, body in whole.all("outcome").items() if doubted(body)}
    for (kind, name), value in other.entries.items():
        if kind in NUMBERED:
            parts = name.split("|", NUMBERED[kind] + 1)
            number = after[int(parts[NUMBERED[kind]])]
            parts[NUMBERED[kind]] = str(number)
            whole.entries[kind, "|".join(parts)] = renumbered(kind, value, number)
        elif kind in ("outcome", "comparison") and name.rpartition("|")[2] in unsound:
            whole.entries[kind, name] = value
        else:
            whole.entries.setdefault((kind, name), value)


def renumbered(kind: str, body: JSON, number: int) -> JSON:
    """Times carry their launch's number as well."""
    if kind == "launch" and body["timing"]:
        return {**body, "timing": renumbered("control", body["timing"], number)}
    return {**body, "launch": number} if kind == "control" else body


def doubted(body: JSON) -> bool:
    try:
        found = records.outcome_from_json(body)
    except ProtocolError:
        return False
    return isinstance(found, Failure) and passing(found)


def numbers(ledger: Ledger) -> set[int]:
    return {
        int(name.split("|", at + 1)[at]) for (kind, name) in ledger.entries if (at := NUMBERED.get(kind)) is not None
    }


def ordinary(ledger: Ledger) -> int:
    """How many launches there are that no look has asked for to confirm it, where none is left out."""
    return max((number + 1 for number in numbers(ledger) if number < CONFIRMING), default=0)


def free(ledger: Ledger) -> Iterator[int]:
    yield from range(ordinary(ledger), CONFIRMING)
