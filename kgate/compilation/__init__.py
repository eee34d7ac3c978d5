"""
`kgate compile`: every kernel of the manifest for every architecture asked for, on a machine that needs no GPU.

    manifest -> paths -> work -> what is stored, else shares of processes -> outcomes -> rows -> verdict
"""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kgate import dump
from kgate.compilation import rows
from kgate.compilation.rows import Row
from kgate.compilation.stored import Records
from kgate.compilation.work import Item, Options, Work, architectures, shares, work
from kgate.completion import completed
from kgate.device import interpreter
from kgate.errors import HostError, UsageError
from kgate.load import build, selection
from kgate.load import manifest as manifests
from kgate.model import HEAD, Case, Event, Failure, Manifest, Measurement, Outcome, Tree, Verdict
from kgate.protocol import Identity
from kgate.runner import launch, parallel
from kgate.runner.environment import CACHES, worker_environment
from kgate.runner.errand import Errand
from kgate.runner.outputs import run_outputs
from kgate.runner.place import Workplace
from kgate.runner.state import folder_at, hold
from kgate.runner.zygote import FORKABLE, Zygotes, by_tree, zygote_argv

__all__ = ["Compilation", "Options", "compile_all"]

FOLDER = "compile"  # below the state folder
RUN = "run-"  # of the folders within it that belong to one run
SCRATCH = "scratch"  # of compilers, below the run's folder: what one that is ended leaves goes away with it
# What is compiled for must not depend on a GPU that happens to be here.
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}
Emit = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """All that was found out. `left_out`: kernels of which nothing, or not everything, is compiled, and why."""

    manifest: str
    architectures: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: Mapping[str, str]
    wall_s: float

    @property
    def verdict(self) -> Verdict:
        return rows.verdict(self.rows)


def compile_all(options: Options, emit: Emit) -> Compilation:
    """Raises UsageError where there is nothing to compile, HostError or WorkerError where this machine cannot."""
    clock = time.monotonic()
    manifest = selection.select(manifests.load(options.manifest), options.kernels, options.workloads)
    chosen = architectures(options.architectures, manifest)
    todo = work(manifest, chosen)
    if not todo.items:
        reasons = "; ".join(f"{name}: {why}" for name, why in todo.left_out.items())
        raise UsageError(f"nothing to compile for {', '.join(chosen)}: {reasons}")
    with state_of(manifest) as folder:
        here = prepared(options, manifest, folder)
        todo = work(completed(manifest, here.workplace, HEAD), chosen)
        outcomes, known = found(options, todo, here, emit)
    return Compilation(
        manifest=str(manifest.path.relative_to(manifest.root)),
        architectures=chosen,
        rows=rows.rows(todo.items, outcomes, known),
        left_out=todo.left_out,
        wall_s=time.monotonic() - clock,
    )


@contextmanager
def state_of(manifest: Manifest) -> Iterator[Path]:
    """The folder of compilations, held against other runs; what an interrupted one has left there is gone."""
    state = folder_at(manifest.root)
    lock = hold(state)
    try:
        folder = state / FOLDER
        folder.mkdir(exist_ok=True)
        for left in folder.glob(f"{RUN}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield folder
    finally:
        os.close(lock)


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """This machine, ready to compile. `adapters`: why a DSL is not here, "" if it is."""

    workplace: Workplace
    records: Records
    adapters: Mapping[str, str]


def prepared(options: Options, manifest: Manifest, folder: Path) -> Prepared:
    """Raises HostError where the repository does not build, WorkerError where no interpreter answers."""
    if manifest.build and (sentence := build.build(manifest.folder, manifest.build, folder / "build.log")):
        raise HostError(f"build in the work tree: {sentence}; see {folder / 'build.log'}")
    workplace = place(options, manifest, Path(tempfile.mkdtemp(prefix=RUN, dir=folder)))
    identity = launch.probe(replace(workplace, device="cpu"))
    records = Records(folder=folder, tree=manifest.folder, surroundings=surroundings(identity, workplace))
    return Prepared(workplace=workplace, records=records, adapters=identity.adapters)


def found(options: Options, todo: Work, here: Prepared, emit: Emit) -> tuple[Mapping[Case, Outcome], frozenset[Case]]:
    """The outcome of every case, and which of them are known from an earlier run."""
    workplace, records = here.workplace, here.records
    absent = {
        item.case: Failure(rung="environment", reason="unavailable", text=reason)
        for item in todo.items
        if (reason := here.adapters.get(item.job.dsl, ""))
    }
    wanted = [item for item in todo.items if item.case not in absent]
    # Files of an earlier run are not kept: whoever asks for them has them made.
    known = {} if options.dump else records.recalled(wanted)
    fresh = compiled(options, [i for i in wanted if i.case not in known], workplace, records, emit)
    if options.dump is not None:
        kept(options.dump, fresh)
    shutil.rmtree(workplace.folder, ignore_errors=True)
    return {**absent, **known, **fresh}, frozenset(known)


def compiled(
    options: Options, items: list[Item], workplace: Workplace, records: Records, emit: Emit
) -> Mapping[Case, Outcome]:
    """In parallel processes, each outcome stored as it comes."""
    named = {item.job.case: item for item in items}
    outcomes: dict[Case, Outcome] = {}
    one_at_a_time = threading.Lock()
    emit(Event(name="planned", fields={"cases": len(items), "steps": len(items)}))
    scratch = workplace.folder.absolute() / SCRATCH
    scratch.mkdir()
    env = {**NO_GPU, "TMPDIR": str(scratch)}
    argv = partial(without_gpu, env)

    def told(event: Event) -> None:
        with one_at_a_time:
            emit(event)

    def done(name: str, outcome: Outcome) -> None:
        with one_at_a_time:
            outcomes[named[name].case] = outcome
        records.keep(named[name], outcome)

    def run(share: tuple[Item, ...]) -> None:
        errand = Errand(mode="compile", arch=share[0].case.device, artifacts=options.dump is not None)
        jobs = [item.job for item in share]
        run_outputs(workplace, HEAD, jobs, env, told, done, start=zygotes.start, errand=errand)

    with Zygotes(preloaded(items), told, shared_by=by_tree, argv=argv) as zygotes:
        parallel.run(shares(items), options.jobs, run)
    return outcomes


def preloaded(items: Iterable[Item]) -> list[str]:
    """What takes seconds to import and is no user's; the second is what torch's tensors without memory import."""
    return sorted({"torch", "torch._dynamo", *(FORKABLE[i.job.dsl] for i in items if i.job.dsl in FORKABLE)})


def without_gpu(env: Mapping[str, str], *zygote: Any) -> tuple[str, ...]:
    """A package may look for a GPU when it is imported, which is before a job can set variables."""
    return ("env", *(f"{name}={value}" for name, value in env.items()), *zygote_argv(*zygote))


def kept(folder: Path, outcomes: Mapping[Case, Outcome]) -> None:
    """Below FOLDER/kernel/workload/architecture/. Raises HostError where it cannot be written."""
    for case, outcome in outcomes.items():
        if isinstance(outcome, Measurement):
            dump.keep(dump.below(folder, case.kernel, case.workload, case.device), outcome.compiled)


def place(options: Options, manifest: Manifest, folder: Path) -> Workplace:
    chosen = options.python or manifest.python
    python = interpreter(chosen, bool(options.python), manifest.folder, manifest.folder)
    return Workplace(
        python={Tree.HEAD: python},
        trees={Tree.HEAD: manifest.folder},
        folder=folder,
        device="cuda:0",
        pass_env=manifest.env,
    )


def surroundings(identity: Identity, workplace: Workplace) -> tuple[object, ...]:
    """What besides the repository's files decides over what a compiler makes: compilers, interpreter, variables."""
    seen = worker_environment(workplace, HEAD)
    return (
        sorted(identity.must_match.items()),
        [identity.information.get(name, "") for name in ("python", "nvcc")],
        sorted((name, value) for name, value in seen.items() if name not in CACHES),
    )
