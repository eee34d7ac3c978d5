"""`--dump DIR`: what the compilers made, as files for a reader, while the run's own folder still has them."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Sequence
from itertools import count as counted_from
from pathlib import Path

from kgate.errors import HostError
from kgate.figures import count
from kgate.model import BASE, HEAD, Arm, Case, CompiledKernel, Failure, Measurement, Outcome, Run
from kgate.reports.document import compiled
from kgate.runner.plain import NotPlain, opened

ARMS = (HEAD, BASE)  # whose compiled kernels can be asked for; what else calls the custom path runs head's code
INDEX = "kernels.json"
NAME_BYTES = 200  # of a folder's; a file system takes 255
NAME_LETTERS = 80  # of a file's, in ASCII, since file systems count bytes; the whole name is in the index
WRITTEN_IN_PYTHON = ("triton", "cutile")  # TileLang's source is what it makes of Python
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
            if reason := absence(outcome, run.kernels[case.kernel].dsl, idle=run.idle(arm, case)):
                missing.setdefault(reason, []).append(f"{case.kernel}/{case.workload} {arm.name}")
            elif isinstance(outcome, Measurement) and outcome.compiled:
                keep(place(folder, case, arm), outcome.compiled)
    return tuple(f"not dumped: {listed(cases)}: {reason}" for reason, cases in missing.items())


def absence(outcome: Outcome | None, dsl: str, *, idle: bool) -> str:
    """Why there is nothing to dump of an arm; "" if there is, if nobody asked this arm, or if it had nothing to do."""
    if outcome is None:
        return ""
    if isinstance(outcome, Failure):
        return "it gave no answer"
    return "" if outcome.compiled or idle else f"{dsl} told of no compiled kernel"


def still_there(files: Collection[Path]) -> bool:
    return bool(files) and all(path.is_file() for path in files)


def listed(cases: Sequence[str]) -> str:
    more = len(cases) - CASES
    return ", ".join(cases[:CASES]) + (f" and {count(more, 'other')}" if more > 0 else "")


def place(folder: Path, case: Case, arm: Arm) -> Path:
    return below(folder, case.kernel, case.workload, arm.name)


def below(folder: Path, *names: str) -> Path:
    """The folder of these names within `folder`, one more for each slash in them; none of them leads out of it."""
    return folder.joinpath(*(plain(part) for name in names for part in name.split("/")))


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
        with opened(source) as file, target.open("wb") as sink:
            shutil.copyfileobj(file, sink)
    except (NotPlain, FileNotFoundError):
        return False
    return True


def stems(kernels: Sequence[CompiledKernel]) -> Iterator[str]:
    """Names of files without their ends: the kernel's, with a number from the second of the same on."""
    used: set[str] = set()
    for kernel in kernels:
        name = plain(kernel.kernel).encode("ascii", "replace").decode().replace("?", "_")[:NAME_LETTERS]
        numbered = (f"{name}-{number}" for number in counted_from(2))
        stem = name if name not in used else next(other for other in numbered if other not in used)
        used.add(stem)
        yield stem


def suffix(kernel: CompiledKernel, kind: str) -> str:
    """The end of a file's name, by which editors and compilers know it."""
    if kind != "source":
        return kind
    if kernel.dsl in WRITTEN_IN_PYTHON:
        return "py"
    return "cu" if kernel.arch.startswith("sm_") else "cpp"


def plain(name: str) -> str:
    """A name as a file's: what a path or a shell would read into it is replaced."""
    spelt = "".join(c if c.isalnum() or c in "_-+=,.@" else "_" for c in name).lstrip(".") or "_"
    encoded = spelt.encode()
    if len(encoded) <= NAME_BYTES:
        return spelt
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[
        :8
    ]  # of a grid of many symbols only the end may differ
    return f"{encoded[:NAME_BYTES].decode(errors='ignore')}-{digest}"
