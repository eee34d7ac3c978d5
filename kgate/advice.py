"""
What to do about what was seen: the sentences that findings and the event stream share, and the command that helps.

`next_step` is for a program or a person that follows `--stream`: one sentence, from two tables by rung and reason.
"""

from collections.abc import Mapping
from shlex import quote
from typing import Final

from kgate.protocol import Reason, Rung

REPRODUCIBLE: Final = ("head", "base", "fallback", "reference")  # arms that `kgate repro` can run
WORKERS_PYTHON: Final = "the worker's interpreter"

# What each reason asks for, as the start of a sentence; no full stop. "raised" stands for whatever is not here.
REASONS: Final[Mapping[Reason | str, str]] = {
    "unavailable": "Install what is missing into the worker's interpreter (`python:` in the manifest), or change "
    "device",
    "outside-tree": "Uninstall the editable or installed copy that shadows the work tree; it would be measured in its "
    "place",
    "import-failed": "Try `import {module}` under {python} from the manifest's folder; mend the module, or set "
    "`python:` in the manifest to the interpreter that has its packages",
    "function-missing": "Put {function} back, or name the function that took its place in the manifest",
    "compile-failed": "Mend the compile error of {function}; the trace names the line",
    "raised": "Mend {function}, or take the workload out of the manifest if production never sees it",
    "wrong-type": "Return from {function} the tensors that the fallback returns, or name its outputs under `mutates`",
    "wrong-signature": "Give {function} the parameters that `args` of the manifest lists, or name a function that has "
    "them; a wrapper of one line will do",
    "narrowed": "Name under `reference:` a plain float64 function that answers this workload",
    "out-of-memory": "Lower what {function} allocates, or choose a workload that fits this device",
    "hung": "Find what {function} waits for; if it is only slow, raise `timeout_s` of the kernel in the manifest",
    "died": "Run the case alone under a debugger or compute-sanitizer: {function} takes its process with it",
    "exited": "Run the case alone under a debugger or compute-sanitizer: {function} takes its process with it",
    "bad-reply": "Keep {function} from writing to kgate's files and descriptors; what it wrote is not believed",
}
# What torch says of a machine without a GPU, and what to do where a module does not import because of it.
WITHOUT_GPU: Final = (
    "Torch not compiled with CUDA enabled",
    "Found no NVIDIA driver",
    "No CUDA GPUs are available",
    "no CUDA-capable device is detected",
)
GPU_AT_IMPORT: Final = (
    "Let {module} be imported without a GPU: ask for it when {function} is called, since what is imported together "
    "with the kernel is the way out as well"
)
# Where the rung says more than the reason does; "" as the reason is an answer that came and is not the right one.
RUNGS: Final[Mapping[tuple[Rung, Reason | str], str]] = {
    ("contract", ""): "Return from {function} outputs in the number, shape and dtype of the fallback's; cast before "
    "returning",
    ("correctness", ""): "Compare {function} with the reference{above}; tails, masks and accumulation come first",
    ("fallback", ""): "Mend {function}, or correct `reference` if it is the reference that is wrong",
    ("path", ""): "Call {function} with the switch on, and find the condition under which it leaves the custom path",
    ("latency", "raised"): "Look for state that {function} keeps between calls: it answers outside the timed loop",
}
# What `kgate repro` adds, as the predicate of its command.
SHOWS: Final[Mapping[Reason | str, str]] = {
    "": "runs it alone and keeps its tensors",
    "import-failed": "shows the whole traceback",
    "compile-failed": "shows all that the compiler says",
    "raised": "shows the whole traceback, and with `--with pdb` stops where it raises",
    "wrong-type": "runs it alone",
    "hung": "runs it alone, and with `--with pdb` can be stopped where it waits",
    "died": "runs it alone, with `--with compute-sanitizer` on a GPU",
    "exited": "runs it alone, with `--with pdb` step by step",
}


def reason_advice(reason: Reason, function: str, python: str = WORKERS_PYTHON, said: str = "") -> str:
    """What a finding says of a failure of this reason; `function` as `module:function`, `said`: the failure's text."""
    return f"{filled(wanted(reason, said), function, python)}."


def wanted(reason: Reason | str, said: str) -> str:
    """What the reason asks for; of an import that asks for a GPU, that it does not."""
    if reason == "import-failed" and any(words in said for words in WITHOUT_GPU):
        return GPU_AT_IMPORT
    return REASONS.get(reason, REASONS["raised"])


def rung_advice(rung: Rung, function: str) -> str:
    """What a finding says, below its numbers, of an answer that came and is wrong, by the rung that it failed on."""
    return f"{filled(RUNGS[rung, ''], function, above=' at the index above')}."


def next_step(
    case: str,
    arm: str,
    rung: Rung,
    reason: Reason | str,
    function: str,
    *,
    said: str = "",
    where: str = "",
    manifest: str = "",
) -> str:
    """
    One sentence: what to do now. `said`: the failure's text. `reason` is "" for an answer that came and is wrong, and
    `where` says where it is; `manifest` is what --manifest has to name, "" for nothing.

    `case` and `arm` are those of the event; drills and base's fallback have no command of their own.
    """
    if (rung, reason) in RUNGS:
        text = RUNGS[rung, reason]
    elif arm == "reference":
        text = REASONS["narrowed"]
    else:
        text = wanted(reason, said)
    parts = [filled(text, function)]
    if where:
        parts.append(f"its errors: {where}")
    if arm in REPRODUCIBLE and reason in SHOWS and rung != "path":
        parts.append(f"`{repro_command(case, arm, manifest)}` {SHOWS[reason]}")
    return f"{'; '.join(parts)}."


def repro_command(case: str, arm: str, manifest: str = "") -> str:
    """What to type to run one arm of one case alone."""
    named = f" --manifest {quote(manifest)}" if manifest else ""
    return f"kgate repro {quote(case)}{named}" + ("" if arm == "head" else f" --arm {arm}")


def filled(text: str, function: str, python: str = WORKERS_PYTHON, above: str = "") -> str:
    return text.format(function=function, module=function.partition(":")[0], python=python, above=above)
