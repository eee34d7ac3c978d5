"""Tools that one arm can be run under, on the terminal: pdb, compute-sanitizer, ncu."""

import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from kgate.errors import HostError
from kgate.model import Arm, Failure, Outcome
from kgate.protocol import OUT, REPLIES, Job
from kgate.runner.collect import BadReply, Tail, Transcript, without_files
from kgate.runner.environment import worker_environment
from kgate.runner.kit import Kit
from kgate.runner.limits import Limits
from kgate.runner.place import slug
from kgate.runner.process import epitaph
from kgate.runner.shelf import Refused, Shelf

# What is put before the arm's own command. pdb is Python's own; the others wrap a process.
TOOLS: Final[Mapping[str, Sequence[str]]] = {
    "pdb": (),
    "compute-sanitizer": ("compute-sanitizer", "--target-processes", "all", "--error-exitcode", "1"),
    "ncu": ("ncu", "--target-processes", "all", "--set", "full", "--force-overwrite"),
}


def look_for(tool: str) -> None:
    """Raises HostError where there is none on PATH."""
    if TOOLS[tool] and shutil.which(TOOLS[tool][0]) is None:
        raise HostError(f"not run: {tool} is not on PATH; it comes with the CUDA toolkit")


def command(tool: str, kit: Kit, arm: Arm) -> tuple[str, ...]:
    python, *rest = kit.alone(arm)
    if tool == "pdb":
        return (python, "-m", "pdb", *rest)
    report = ("--export", str(kit.folder / slug(arm))) if tool == "ncu" else ()
    return (*TOOLS[tool], *report, python, *rest)


def run(tool: str, kit: Kit, arm: Arm) -> tuple[Outcome, str]:
    """
    What the arm answered under the tool, on this terminal and without a deadline; and what the tool itself says.

    Raises HostError where a debugger was left before there was an answer.
    """
    process = subprocess.Popen(
        command(tool, kit, arm), cwd=kit.workplace.trees[arm.tree], env=worker_environment(kit.workplace, arm)
    )
    status = waited_for(process)
    outcome = answer(kit, arm, status)
    if tool == "pdb" and status == 0 and isinstance(outcome, Failure) and outcome.reason == "exited":
        raise HostError(f"not run: pdb was left before {arm.name} had answered; type c to go on there")
    remark = f"{tool} ended with exit code {status}" if status and not isinstance(outcome, Failure) else ""
    return outcome, remark


def waited_for(process: "subprocess.Popen[bytes]") -> int:
    """
    Its exit code. The terminal sends Ctrl-C to both, and it is meant for the debugger; what else ends the gate, as
    SIGTERM does, ends the process.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        process.kill()  # does nothing to one that has ended


def answer(kit: Kit, arm: Arm, status: int) -> Outcome:
    """What the arm's process has left in its folder, believed as little as any worker's word."""
    folder = kit.folder / slug(arm)
    shelf = Shelf(folder / OUT, Job.output_limit_bytes)
    transcript = Transcript(
        [kit.case], lambda case, outputs: shelf.take(outputs, kit.workplace.outputs(arm, case)), without_files
    )
    try:
        for line in Tail(folder / REPLIES, Limits().replies_bytes).lines():
            transcript.read(line)
    except (BadReply, Refused) as error:
        return Failure(rung=transcript.rung, reason="bad-reply", text=str(error))
    reason, text = epitaph(status)
    return transcript.outcomes.get(kit.case) or Failure(rung=transcript.rung, reason=reason, text=text)
