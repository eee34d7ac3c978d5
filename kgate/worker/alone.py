"""
One arm of one case, alone. `kgate repro` puts this file as repro.py beside the worker's bundle and a folder per arm.

    python repro.py        the arm that was asked for and its reference, a process each; then where they differ
    python repro.py ARM    one arm (head, base, fallback, reference) in this process, which a debugger can stop

An arm's folder holds job.json, the case as the gate gives it to its worker: functions, inputs, seed. So what is drawn
and called here is what the gate runs. Kept beside this file, for `torch.load`:

    ARM.inputs.pt     {name: tensor}, before the call
    ARM.outputs.pt    [tensor, …]: what the call returned, then what it changed
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if (HERE / "worker.zip").is_file():
    # kgate's worker comes from the bundle and from nowhere else; nothing of this folder is a module.
    sys.path[:] = [str(HERE / "worker.zip"), *(path for path in sys.path if path != str(HERE))]

from kgate.protocol import OUT, REPLIES, Begin, Bye, CaseJob, End, Facts, Rung, RungDone  # noqa: E402  as above
from kgate.worker import control as controls  # noqa: E402
from kgate.worker import lifeline  # noqa: E402
from kgate.worker.control import Control  # noqa: E402
from kgate.worker.exports import Budget, Target, written  # noqa: E402
from kgate.worker.faults import Fault  # noqa: E402
from kgate.worker.observation import Observation, first_call  # noqa: E402
from kgate.worker.subject import subject_of  # noqa: E402


def main(arguments: list[str]) -> int:
    match arguments:
        case []:
            return both()
        case [arm]:
            return run(arm, emptied(HERE / arm))
        case [arm, folder]:  # the gate's own way in: it watches the process and reads what this folder gets
            return run(arm, Path(folder))
        case _:
            sys.exit(__doc__)


def run(arm: str, folder: Path) -> int:
    """The call, between the replies that the gate reads. Raises whatever the arm's own code raised."""
    control = controls.opened(folder)
    lifeline.hold()
    os.environ.update(control.job.env)  # before anything of the user's is imported
    os.chdir(control.job.tree)
    (case,) = control.job.cases
    control.say(Begin(case=case.case))
    error: BaseException | None = None
    try:
        answer(arm, case, control)
        control.say(End(case=case.case))
    except Fault as fault:
        control.say(fault.failed(case.case))
        error = fault.__context__ or fault  # the user's own, with its own traceback
    control.say(Bye(cases=1))
    if error is not None:
        raise error
    return 0


def answer(arm: str, case: CaseJob, control: Control) -> None:
    def climbed(rung: Rung, ns: int) -> None:
        control.say(RungDone(case=case.case, rung=rung, ns=ns))

    print(f"{case.case} on {arm}: {case.entry}, seed {case.seed}")
    seen = Observation(control.job.tree)
    subject = subject_of(case, control, climbed)  # functions found, inputs drawn
    keep(arm, "inputs", {i.name: i.tensor for i in subject.inputs.tensors})
    outputs = first_call(subject, seen, climbed)  # the call
    keep(arm, "outputs", [tensor.detach() for tensor in outputs])
    control.say(Facts(case=case.case, facts=dict(seen.facts)))
    budget = Budget(control.job.output_limit_bytes)
    for output in written(outputs, Target(case=case.case, out=control.out, prefix="output", budget=budget)):
        control.say(output)


def keep(arm: str, what: str, tensors: "Mapping[str, Any] | list[Any]") -> None:
    import torch

    torch.save(tensors, HERE / f"{arm}.{what}.pt")
    for name, tensor in tensors.items() if isinstance(tensors, Mapping) else enumerate(tensors):
        print(f"  {what[:-1]} {name}: {shown(tensor)}, strides {list(tensor.stride())}, {tensor.device}")


def shown(tensor: Any) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


def emptied(folder: Path) -> Path:
    """Without what an earlier run left there."""
    for old in (folder / REPLIES, *(folder / OUT).glob("*")):
        old.unlink(missing_ok=True)
    return folder


def both() -> int:
    """Arm and reference, each in a process of its own, and a look at where they differ."""
    asked = json.loads((HERE / "repro.json").read_text())
    arms = dict.fromkeys((asked["arm"], "reference"))
    if any(subprocess.run([sys.executable, __file__, arm], check=False).returncode for arm in arms):
        return 1
    return int(differ(asked["arm"], asked["bounds"]))


def differ(arm: str, bounds: list[dict[str, float]]) -> bool:
    """
    A quick look with torch, by those bounds of the last `kgate repro` that speak of single elements; none before it.

    `kgate repro` and `kgate check` compare by all bounds, and with more care about NaN and infinities; they decide.
    """
    import torch

    outputs, expected = (torch.load(HERE / f"{name}.outputs.pt", map_location="cpu") for name in (arm, "reference"))
    wrong = len(outputs) != len(expected)
    for index, (value, right) in enumerate(zip(outputs, expected, strict=False)):
        if value.shape != right.shape:
            print(f"output {index}: {shown(value)}, the reference gives {shown(right)}")
            wrong = True
        elif value.numel():
            wrong = outside(index, value, right, bounds[index] if index < len(bounds) else {}) or wrong
    return wrong


def outside(index: int, value: Any, right: Any, bound: dict[str, float]) -> bool:
    """Prints the largest difference and the first beyond the bound; whether there is such a one."""
    import torch

    wide = torch.complex128 if right.is_complex() else torch.float64
    columns = next((size for size in reversed(right.shape) if size != 1), 1)  # a row runs along them
    shape, (value, right) = right.shape, (tensor.to(wide).reshape(-1, columns) for tensor in (value, right))
    same = (value == right) | (value.isnan() & right.isnan())
    error = (value - right).abs().nan_to_num(nan=torch.inf).masked_fill(same, 0)
    size = right.abs().nan_to_num(0, 0, 0)
    allowed = (
        bound.get("row_error", 0) * size.amax(1, keepdim=True) + bound.get("rtol", 0) * size + bound.get("atol", 0)
    )
    far = error > allowed if bound else torch.zeros_like(error, dtype=torch.bool)
    places = {"largest difference": error.argmax()}
    if far.any():
        places["first beyond the bound"] = far.int().argmax()
    for what, at in places.items():
        where = [int(i) for i in torch.unravel_index(at, shape)]
        seen, wanted = (tensor.view(-1)[at].item() for tensor in (value, right))
        print(f"output {index}: {what} at {where}: {seen:.9g}, expected {wanted:.9g}")
    return bool(far.any())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
