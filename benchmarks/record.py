"""
Records launches of the gallery's kernels for benchmarks/data, with the gate's own processes, order and timer:

    python benchmarks/record.py --start NAME [--seconds 270] [--device cuda:0] [--folder DIR] [--out DIR] [--data DIR]

A launch is a fresh process of three arms, in which every kernel is timed one after the other: the kernel in two arms
("head", "base"), and a third that is some 5 % slower in one of three ways (recording/kernels.py), in turn. By how much
it is slower is measured, never assumed. The first start of all tries every candidate for a dose; where --data already
holds a recording, its doses are used again.

NAME.jsonl.gz in --out ($OUT, else the working directory) grows launch by launch and is gone on with by the same command
on the same machine: caches and trees stay in --folder. Compiling, choosing doses and launches end after --seconds
together. A table of all that the file holds comes last. --device cpu tries it all with functions of torch's, and is no
recording to keep.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rates import recordings  # noqa: E402
from rates.recordings import SUFFIX, Heading, Recorded, Taken, append, read, read_all  # noqa: E402
from recording.choosing import Doses, candidates, chosen, settled  # noqa: E402
from recording.kernels import Kernel, kernels  # noqa: E402
from recording.summary import summary  # noqa: E402

from kgate.device import probed  # noqa: E402  the checkout, not an installed kgate
from kgate.model import BASE, GATE_THROTTLE, HEAD, Arm, Event, LaunchTiming, Route, Tree  # noqa: E402
from kgate.protocol import SINGLE, CaseJob, Identity  # noqa: E402
from kgate.runner.choice import Choice, choice_of  # noqa: E402
from kgate.runner.lockstep import Launch, Schedule, run_launch  # noqa: E402
from kgate.runner.place import Workplace  # noqa: E402
from kgate.runner.process import Start  # noqa: E402
from kgate.runner.warmup import fill_caches  # noqa: E402
from kgate.runner.zygote import FORKABLE, Zygotes, by_tree  # noqa: E402
from kgate.worker import nvml  # noqa: E402

SLOWED = Arm(tree=Tree.HEAD, route=Route.CUSTOM, condition="slowed")
ARMS = {HEAD: recordings.HEAD, BASE: recordings.BASE, SLOWED: recordings.SLOWED}
ZYGOTES = 4  # an arm
FIRST = Schedule(blocks=2, samples_per_block=2, rotated_samples_per_block=1, export_limit_bytes=0)
TRIED = Schedule(blocks=4, samples_per_block=4, rotated_samples_per_block=3, export_limit_bytes=0)
BEFORE = 1_000_000  # numbers of launches that are not recorded
SAID_EVERY = 5  # launches
PARTS = {"sm-clock-mhz": "mhz", "temperature-c": "celsius", "power-w": "watts"}


@dataclass(kw_only=True)
class Bench:
    """Where launches are taken, and what all of them have in common."""

    workplace: Workplace
    identity: Identity
    start: Start
    seed: int
    choices: Mapping[str, Choice]

    def launch(self, number: int, arms: Mapping[Arm, Sequence[CaseJob]], schedule: Schedule) -> Launch:
        method = SINGLE if self.workplace.device.startswith("cuda") else "cpu-monotonic"
        timed = replace(schedule, method=method, choices=self.choices, seed=self.seed)
        clocks = partial(nvml.throttled, self.identity.information.get("uuid", ""))
        found = run_launch(self.workplace, arms, number, timed, said, start=self.start, throttle=clocks)
        for key, failure in found.failures.items():
            print(*key, failure.text, failure.detail[-1500:], sep="\n", flush=True)
        return found


def main() -> int:
    options = parsed()
    until = time.monotonic() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    workplace = placed(options)
    file = options.out / f"{options.start}{SUFFIX}"
    known = options.folder / file.name  # $OUT is emptied from one command to the next
    if known.exists() and not file.exists():
        shutil.copy(known, file)
    recorded = kernels(options.device)
    packages = ["torch"] if workplace.device == "cpu" else sorted({FORKABLE[k.job.dsl] for k in recorded} | {"torch"})
    with Zygotes(packages, said, clusters=options.zygotes) as zygotes:
        zygotes.warm(workplace, list(ARMS))
        _, identity = probed(workplace, workplace.device)
        seed = zlib.crc32(options.start.encode())
        bench = Bench(workplace=workplace, identity=identity, start=zygotes.start, seed=seed, choices={})
        doses = prepared(bench, recorded, packages, file, options)
        for line in islice(taken(bench, zygotes, recorded, doses, file, until), options.launches):
            append(file, line)
            shutil.copy(file, known)
    start = read(file)
    assert start is not None
    print(summary([start]))
    return 0 if start.launches else 1


def parsed() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--start", required=True, help="a name for this start of the machine")
    options.add_argument("--seconds", type=float, default=270.0)
    options.add_argument("--launches", type=int, help="at most; as many as fit by default")
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--python", default=sys.executable, help="the interpreter that has torch and the DSLs")
    options.add_argument("--zygotes", type=int, default=ZYGOTES)
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kgate-record")
    options.add_argument("--out", type=Path, default=Path(os.environ.get("OUT") or "."))
    options.add_argument("--data", type=Path, default=Path(__file__).parent / "data", help="recordings of other starts")
    return options.parse_args()


def placed(options: argparse.Namespace) -> Workplace:
    """One tree for all arms, since all have the same code: the gallery, and its slower forms."""
    tree = options.folder / "tree"
    shutil.copytree(ROOT / "examples/gallery/gallery", tree / "gallery", dirs_exist_ok=True)
    shutil.copy(Path(__file__).parent / "recording/doses.py", tree)
    # The gallery's own need; workers are given this variable.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT / "dispatch"), os.environ.get("PYTHONPATH"))))
    return Workplace(
        python=dict.fromkeys(Tree, options.python),
        trees=dict.fromkeys(Tree, tree),
        folder=options.folder / "run",
        device=options.device,
    )


def prepared(
    bench: Bench, recorded: Sequence[Kernel], packages: Sequence[str], file: Path, options: argparse.Namespace
) -> Doses:
    """All compiled, a timer chosen for each kernel, the doses settled, and the heading written where there is none."""
    began = time.monotonic()
    before = read(file)
    known = settled([before] if before else read_all(options.data), recorded)
    tried = known or candidates(recorded)
    compiled(bench.workplace, recorded, tried, packages)
    print(f"compiled: {time.monotonic() - began:.0f} s", flush=True)
    clean = [k.job for k in recorded]
    first = bench.launch(BEFORE, {HEAD: clean, BASE: clean}, FIRST)
    bench.choices = {name: choice_of(timing) for name, timing in first.timings.items()}
    print(f"chosen how to time: {time.monotonic() - began:.0f} s", flush=True)
    doses = known if before else measured(bench, recorded, tried)
    print(f"doses settled: {time.monotonic() - began:.0f} s", flush=True)
    if not before:
        append(file, heading(bench.identity, recorded, doses, options))
    return doses


def compiled(workplace: Workplace, recorded: Sequence[Kernel], tried: Doses, packages: Sequence[str]) -> None:
    """In the cache of one arm, of which the others get a copy: their code is the same."""
    with Zygotes(packages, said, shared_by=by_tree) as zygotes:
        jobs = [k.job for k in recorded] + [dose.job for found in tried.values() for dose in found]
        warm = fill_caches(workplace, {SLOWED: jobs}, zygotes.start)
    for job in jobs:
        if (SLOWED, job.case) not in warm:
            print(f"{job.case}: its first call failed", flush=True)
    for arm in (HEAD, BASE):
        if workplace.caches(SLOWED).exists():
            shutil.copytree(workplace.caches(SLOWED), workplace.caches(arm), dirs_exist_ok=True)


def measured(bench: Bench, recorded: Sequence[Kernel], tried: Doses) -> Doses:
    """Each candidate against base, in one launch; those chosen."""
    names = {dose.job.case: k for k in recorded for dose in tried[k.name]}
    bench.choices = {**bench.choices, **{c: bench.choices[k.name] for c, k in names.items() if k.name in bench.choices}}
    base = [replace(k.job, case=case) for case, k in names.items()]
    slowed = [dose.job for doses in tried.values() for dose in doses]
    found = bench.launch(BEFORE + 1, {BASE: base, SLOWED: slowed}, TRIED)
    samples = {case: shortened(timing.samples_ns) for case, timing in found.timings.items()}
    return chosen(tried, samples)


def heading(identity: Identity, recorded: Sequence[Kernel], doses: Doses, options: argparse.Namespace) -> Heading:
    return Heading(
        start=options.start,
        date=datetime.now(timezone.utc).date().isoformat(),
        fingerprint=identity.must_match,
        zygotes=options.zygotes,
        kernels={k.name: k.words for k in recorded},
        doses={name: {d.way: (d.candidate, round(d.measured, 4)) for d in found} for name, found in doses.items()},
    )


def taken(
    bench: Bench, zygotes: Zygotes, recorded: Sequence[Kernel], doses: Doses, file: Path, until: float
) -> Iterator[Recorded]:
    """Launches until the next one would end too late."""
    before = read(file)
    number = max((r.launch for r in before.launches), default=-1) + 1 if before else 0
    longest, clean, began = 0.0, [k.job for k in recorded], time.monotonic()
    while time.monotonic() + longest < until:
        this = time.monotonic()
        turn = {name: found[number % len(found)] for name, found in doses.items() if found}
        arms: dict[Arm, Sequence[CaseJob]] = {HEAD: clean, BASE: clean}
        arms[SLOWED] = [replace(dose.job, case=name) for name, dose in turn.items()]
        zygote = zygotes.forks.get(HEAD, 0) % zygotes.clusters
        found = bench.launch(number, arms, Schedule(export_limit_bytes=0))
        took = time.monotonic() - this
        timed = {name: kept(timing, turn[name].way if name in turn else "") for name, timing in found.timings.items()}
        yield Recorded(
            launch=number,
            zygote=zygote,
            second=round(this - began, 1),
            took=round(took, 2),
            kernels=timed,
            busy=round(found.busy_s, 3),
            spent={name: round(s, 3) for name, s in found.spent_s.items()},
        )
        if number % SAID_EVERY == 0:
            print(f"launch {number}: {took:.1f} s, {len(timed)} kernels", flush=True)
        number, longest = number + 1, max(longest, took)


def kept(timing: LaunchTiming, way: str) -> Taken:
    samples = shortened(timing.samples_ns)
    read_out = {name: spread(timing, key) for key, name in PARTS.items()}
    throttle = {n: str(t) for arm, n in ARMS.items() if (t := timing.notes.get(f"{arm.name}.throttle"))}
    if GATE_THROTTLE in timing.notes:  # "" says that the gate has looked
        throttle[recordings.GATE] = str(timing.notes[GATE_THROTTLE])
    return Taken(
        method=timing.method,
        calls=int(timing.notes.get("batch", 1)),
        ns=samples,
        way=way if recordings.SLOWED in samples else "",
        mhz=read_out["mhz"],
        celsius=max(read_out["celsius"], default=0),
        watts=max(read_out["watts"], default=0),
        throttle=throttle,
    )


def shortened(samples_ns: Mapping[str, Sequence[float]]) -> dict[str, list[int]]:
    return {name: [round(ns) for ns in samples_ns[arm.name]] for arm, name in ARMS.items() if arm.name in samples_ns}


def spread(timing: LaunchTiming, key: str) -> list[int]:
    """Least and most of a reading over arms and blocks; nothing where the device does not tell."""
    values = [
        int(value)
        for name, value in timing.notes.items()
        if name.partition(".")[2].removesuffix(".least").removesuffix(".most") == key and not isinstance(value, str)
    ]
    return [min(values), max(values)] if values else []


def said(event: Event) -> None:
    if event.name == "note":
        print(event.fields["text"], flush=True)


if __name__ == "__main__":
    sys.exit(main())
