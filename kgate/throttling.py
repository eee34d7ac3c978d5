"""Which launches are no measurement, since the device had lowered its clocks in need, and whose word that is."""

from collections.abc import Sequence

from kgate.figures import count
from kgate.margins import MARGINS
from kgate.model import GATE_THROTTLE, LaunchTiming

# A power cap is none of them: it is how a busy GPU works, and both arms meet it.
NO_MEASURE = ("hardware-slowdown", "software-thermal", "hardware-thermal", "power-brake")


def throttle(timing: LaunchTiming, arms: tuple[str, str]) -> list[str]:
    """
    Why the launch is no measurement: what the device told the gate of its clocks, or else what both arms say. One arm's
    word is not enough: it could be rid of its slow launches by it.
    """
    words = [timing.notes.get(f"{arm}.throttle", "") for arm in arms]
    told = [timing.notes[GATE_THROTTLE]] if GATE_THROTTLE in timing.notes else words
    return [reason for reason in NO_MEASURE if all(reason in str(word) for word in told)]


def disbelieved(timings: Sequence[Sequence[LaunchTiming]], reasons: Sequence[str]) -> str:
    """
    By launch the cases' timings, and why it is throttled: whether workers alone, who may be of one mind, would have
    more launches left out than is believed of them, as a sentence.
    """
    by_word = [
        bool(reason) and not all(GATE_THROTTLE in t.notes for t in each)
        for each, reason in zip(timings, reasons, strict=True)
    ]
    if sum(by_word) <= MARGINS.throttled_by_word * len(by_word) or all(by_word):
        return ""
    launches = count(len(by_word), "launch", "launches")
    return f"workers call {sum(by_word)} of {launches} throttled, more than is believed of them: the gate cannot look"
