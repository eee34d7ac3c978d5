"""
Mode "compare": a function of the user's holds answers against the reference's, and says whether they will do.

It is called as `compare(outputs, expected, inputs)`: lists of tensors on the CPU, and the arguments by name as the
arms were given them. Every trial has tensors of its own, so that nothing that it changes is seen by the next.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kgate.protocol import ANSWER, HELD, CaseJob, Facts, Held, Stored, Trial
from kgate.worker import loading
from kgate.worker.control import Control
from kgate.worker.draws import Source, dtype_of
from kgate.worker.faults import Fault, foreign, line_of
from kgate.worker.inputs import inputs_of

FIGURES, FIGURE_LETTERS, SAID_LETTERS = 16, 100, 300  # of one verdict
Told = str | int | float | bool | list[str] | dict[str, str]
WANTED = "it has to return True or False, or a mapping with 'holds' and figures"


def hold(case: CaseJob, control: Control) -> None:
    """All trials of a case; what the function raises on the answer itself is a Fault, but for an AssertionError."""
    assert case.held is not None
    loading.enter(control.job.tree)
    function = loading.function_of(case.entry, control.job.tree)
    source = Source(tables=control.tables, device="cpu")
    holds: list[str] = []
    for trial in case.held.trials:
        verdict = foreign("correctness", partial(asked, function, case.held, trial, case, source, control))
        if verdict.get("holds"):
            holds.append(trial.name)
        if trial.name == ANSWER:
            answered = verdict
    named = [(str(k)[:FIGURE_LETTERS], shown(v)) for k, v in answered.items() if k not in ("holds", "said")]
    said = str(answered.get("said", ""))[:SAID_LETTERS]
    facts: dict[str, Told] = {"holds": holds, "figures": dict(named[:FIGURES]), "said": said}
    control.say(Facts(case=case.case, facts=facts))


def asked(
    function: Callable[..., Any], held: Held, trial: Trial, case: CaseJob, source: Source, control: Control
) -> Mapping[str, Any]:
    """The verdict. Whatever is raised over an answer that is known to be wrong refuses it."""
    tensors = [[loaded(one, control) for one in row] for row in (trial.outputs, held.expected)]
    inputs = inputs_of(case, source).keywords
    try:
        return verdict_of(function(*tensors, inputs))
    except AssertionError as error:
        return {"holds": False, "said": line_of(error)}
    except Exception:
        if trial.name == ANSWER:
            raise
        return {"holds": False}


def verdict_of(returned: Any) -> Mapping[str, Any]:
    """Raises Fault for what says neither yes nor no."""
    found = returned if isinstance(returned, Mapping) else {"holds": returned}
    holds: Any = found.get("holds")
    if not isinstance(holds, bool) and str(getattr(holds, "dtype", "")).endswith("bool") and hasattr(holds, "item"):
        holds = holds.item()  # of NumPy's, or a tensor of one element
    if not isinstance(holds, bool):
        raise Fault("correctness", "wrong-type", f"returned {type(returned).__name__}; {WANTED}")
    return {**found, "holds": holds}


def shown(value: Any) -> str:
    number = value.item() if hasattr(value, "item") else value
    return f"{number:.6g}" if isinstance(number, float) else str(number)[:FIGURE_LETTERS]


def loaded(one: Stored, control: Control) -> Any:
    """A tensor of these bytes, in memory of its own."""
    import torch

    data = bytearray((control.folder / HELD / Path(one.file).name).read_bytes())
    dtype = dtype_of(one.dtype)
    if not math.prod(one.shape):
        return torch.empty(one.shape, dtype=dtype)
    return torch.frombuffer(data, dtype=torch.uint8).view(dtype).view(one.shape)
