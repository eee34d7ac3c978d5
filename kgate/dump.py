"""`--dump DIR`: what the compilers made, as files for a reader, while the run's own folder still has them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgate.errors import HostError
from kgate.figures import count
from kgate.model import BASE, HEAD, Arm, Case, CompiledKernel, Failure, Outcome, Run
from kgate.reports.document import compiled
from kgate.runner.plain import NotPlain, opened

ARMS = (HEAD, BASE)  # what else calls the custom path runs head's code
INDEX = "kernels.json"
NAME_LETTERS = 80  # of a file's; the whole name is in the index
CASES = 3  # named where many have nothing to dump


def write(folder: Path, run: Run) -> tuple[str, ...]:
    """
    FOLDER/kernel/workload/arm/ with an index and a file per form of each device kernel, over what is there; and for
    what is not dumped a remark each, with its reason. Raises HostError where FOLDER cannot be written.
    """
    missing: dict[str, list[str]] = {}
    for case in run.cases:
        for arm in ARMS:
            outcome = run.outcome(arm, case)
            if reason := absence(outcome, run.kernels[case.kernel].dsl):
                missing.setdefault(reason, []).append(f"{case.kernel}/{case.workload} {arm.name}")
            elif outcome is not None and not isinstance(outcome, Failure):
                keep(place(folder, case, arm), outcome.compiled)
    return tuple(f"not dumped: {listed(cases)}: {reason}" for reason, cases in missing.items())


def absence(outcome: Outcome | None, dsl: str) -> str:
    """Why there is nothing to dump of an arm; "" if there is, or if nobody asked this arm."""
    if isinstance(outcome, Failure):
        return "it gave no answer"
    return f"{dsl} told of no compiled kernel" if outcome is not None and not outcome.compiled else ""


def listed(cases: Sequence[str]) -> str:
    more = len(cases) - CASES
    return ", ".join(cases[:CASES]) + (f" and {count(more, 'other')}" if more > 0 else "")


def place(folder: Path, case: Case, arm: Arm) -> Path:
    return folder.joinpath(plain(case.kernel), *map(plain, case.workload.split("/")), arm.name)


def keep(folder: Path, kernels: Sequence[CompiledKernel]) -> None:
    """The files of these kernels, and an index of all that is told of them. Raises HostError."""
    told = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kernel, stem in zip(kernels, stems(kernels), strict=True):
            names = {kind: f"{stem}.{suffix(kernel, kind)}" for kind in kernel.files}
            kept = {kind: name for kind, name in names.items() if copied(kernel.files[kind], folder / name)}
            told.append({**compiled(kernel), "files": kept})
        (folder / INDEX).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise HostError(f"--dump: {folder}: cannot be written ({error.strerror}); choose another folder") from error


def copied(source: Path, target: Path) -> bool:
    """False where there is no plain file any more: it was one when it was taken from a worker, whose hand is long."""
    try:
        with opened(source) as file:
            target.write_bytes(file.read())
    except (NotPlain, FileNotFoundError):
        return False
    return True


def stems(kernels: Sequence[CompiledKernel]) -> Iterator[str]:
    """Names of files without their ends: the kernel's, with a number from the second of the same on."""
    used: dict[str, int] = {}
    for kernel in kernels:
        name = plain(kernel.kernel)[:NAME_LETTERS]
        used[name] = used.get(name, 0) + 1
        yield name if used[name] == 1 else f"{name}-{used[name]}"


def suffix(kernel: CompiledKernel, kind: str) -> str:
    """The end of a file's name, by which editors and compilers know it."""
    if kind != "source":
        return kind
    return "cu" if kernel.arch.startswith("sm_") else "cpp"


def plain(name: str) -> str:
    """A name as a file's: what a path or a shell would read into it is replaced."""
    return "".join(c if c.isalnum() or c in "_-=,." else "_" for c in name).lstrip(".") or "_"
