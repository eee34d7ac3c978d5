"""What the run's own controls have shown, in one line and as the JSON report holds it."""

import math
from collections.abc import Sequence
from typing import Any

from kgate.figures import margin
from kgate.model import Control, Instrument, Run


def line(run: Run) -> str:
    """`controls: bias 0.1 %, dose 5 % seen as 5.1 %`, of those farthest off; "" where nothing was timed."""
    found = run.instrument
    if found is None:
        return ""
    if found.missing:
        return f"controls: none ({found.missing})"
    given = margin(found.given).removeprefix("+")
    biases = [c.bias for c in found.controls if c.bias is not None]
    doses = [c.dose for c in found.controls if c.dose is not None]
    bias = f"bias {100 * abs(worst(biases, 1.0) - 1):.1f} %" if biases else "bias not known"
    dose = f"dose {given} seen as {100 * (worst(doses, found.given) - 1):.1f} %" if doses else "dose not known"
    few = "" if biases and doses else " (too few launches)"
    # Times on a CPU block nothing by default, and a shared one is seldom quiet: no reason for capitals.
    word = "FAILED" if run.on_gpu else "off, which on a CPU is only told"
    failed = f"; {word}: {'; '.join(found.faults)}" if found.faults else ""
    return f"controls: {bias}, {dose}{few}{failed}" + ("; measured twice" if found.again else "")


def worst(values: Sequence[float], wanted: float) -> float:
    return max(values, key=lambda value: abs(math.log(value / wanted)))


def document(found: Instrument | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "controls": [control(each) for each in found.controls],
        "given": found.given,
        "missing": found.missing,
        "voids": found.voids,
        "again": found.again,
    }


def control(found: Control) -> dict[str, Any]:
    names = ("name", "bias", "dose", "launches", "dosed", "fault")
    return {name: getattr(found, name) for name in names}
