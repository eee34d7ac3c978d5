"""The event `rung-ended`: a case has climbed a rung on one arm, or has failed there and is told what to do about it."""

from kgate.advice import next_step
from kgate.model import FALLBACK, Arm, Event, Failure
from kgate.protocol import Rung


def climbed(case: str, arm: Arm, rung: Rung, ns: int = 0) -> Event:
    return ended(case, arm, rung, ok=True, ns=ns)


def failed(case: str, arm: Arm, failure: Failure, function: str, manifest: str = "") -> Event:
    """The arm gave no answer; `function` is what was called, as `module:function`, `manifest` the workplace's."""
    step = next_step(case, arm.name, failure.rung, failure.reason, function, said=failure.text, manifest=manifest)
    return ended(case, arm, failure.rung, ok=False, reason=failure.reason, text=failure.text, step=step)


def refused(case: str, arm: Arm, rung: Rung, text: str, function: str, where: str = "", manifest: str = "") -> Event:
    """
    An answer came and is not the right one; `text` says why and `where`, if known, at which elements.

    The rung "fallback" belongs to head's ladder, and the answer was the fallback's.
    """
    answered = FALLBACK.name if rung == "fallback" else arm.name
    step = next_step(case, answered, rung, "", function, where=where, manifest=manifest)
    return ended(case, arm, rung, ok=False, text=text, step=step)


def ended(
    case: str, arm: Arm, rung: Rung, *, ok: bool, ns: int = 0, reason: str = "", text: str = "", step: str = ""
) -> Event:
    fields = {"case": case, "arm": arm.name, "rung": rung, "ok": ok, "ns": ns}
    return Event(name="rung-ended", fields={**fields, "reason": reason, "text": text, "next": step})
