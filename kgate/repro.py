"""
`kgate repro CASE`: one arm of one case alone, on the gate's own inputs, in a folder that stays for a second look.

    case -> setting (as for a check) -> kit in a folder -> its script runs the arms -> the gate's own comparison
"""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path

from kgate.advice import reason_advice, rung_advice
from kgate.answers import question
from kgate.correctness import Bench
from kgate.dump import below
from kgate.errors import ExitCode, HostError, UsageError
from kgate.escape import plain
from kgate.holding import Asked, answers
from kgate.load import manifest as manifests
from kgate.load.hints import nearest
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    Arm,
    Case,
    Comparison,
    Event,
    Failure,
    Manifest,
    Measurement,
    Outcome,
    Tree,
    Workload,
    of_base,
)
from kgate.options import Options
from kgate.plan import Plan, job, same_signature
from kgate.rules import NOT_HERE, difference, happened
from kgate.runner import tools
from kgate.runner.kit import Kit, written
from kgate.runner.ledger import Ledger
from kgate.runner.outputs import run_outputs
from kgate.runner.process import fresh
from kgate.runner.state import folder_at
from kgate.setting import Setting, clean, prepare

SHOWN_LINES = 100  # of what the arm printed; the end of it


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be run. `out` None is a folder below .kgate; `tool` is one of TOOLS, or ""."""

    case: str
    arm: str = HEAD.name
    out: Path | None = None
    seed: int = 0
    tool: str = ""
    write_only: bool = False


@dataclass(frozen=True, kw_only=True)
class Found:
    """What became of the arm. `reference` is None where the arm is the reference; `remark` is the tool's."""

    outcome: Outcome
    reference: Outcome | None = None
    comparisons: Sequence[Comparison] = ()
    changed: Sequence[str] = field(default=())  # inputs that it must not change
    remark: str = ""


def repro(options: Options, order: Order) -> tuple[str, ExitCode]:
    """
    What to print, and GREEN where the outputs hold, FAIL where they do not or none came, NO_VERDICT where nothing ran.

    Raises UsageError where there is no such case, HostError where it cannot be run here, and what a check raises.
    """
    kernel, workload, device = parted(manifests.load(options.manifest), order.case)
    if order.tool:
        tools.look_for(order.tool)
    chosen = replace(
        options,
        kernels=(escape(kernel),),
        workloads=(escape(f"{kernel}/{workload.name}"),),
        device=options.device if options.device != "auto" else device_of(workload, device),
    )
    here = prepare(chosen, silent)
    try:
        return alone(here, case_of(here.plan, order.case, workload, device), order)
    finally:
        clean(here, {})


def silent(event: Event) -> None:
    """Nobody follows the rungs of one case; what becomes of it is printed at the end."""


def parted(manifest: Manifest, name: str) -> tuple[str, Workload, str]:
    """Kernel, workload and device ("" if left out) of a case's name, or a variant's, as reports print it."""
    full, _, device = name.partition("@")
    stem = full.partition("~")[0]
    known = {f"{kernel.name}/{w.name}": (kernel.name, w) for kernel in manifest.kernels for w in kernel.workloads}
    if stem not in known:
        raise UsageError(f"{name}: no case is called so{nearest(stem, known)}")
    return *known[stem], device


def device_of(workload: Workload, device: str) -> str:
    """What a case's name says of its device, as an option: a GPU's short name can only be looked for."""
    if device == "cpu" or (not device and set(workload.targets) == {"cpu"}):
        return "cpu"
    return "cuda" if device else "auto"


def case_of(plan: Plan, name: str, workload: Workload, device: str) -> Case:
    if device and device != plan.target.name:
        raise HostError(f"not run: {name} is a case of {device}, and this is {plan.target.name}")
    if not plan.cases:
        meant = ", ".join(workload.targets)
        raise HostError(f"not run: {name} is meant for {meant}, and this is {plan.target.name}; choose with --device")
    if "~" not in name:
        return plan.cases[0]
    made = {case.stable_name: case for case in plan.variants}
    stem = name.partition("@")[0]
    if stem not in made:
        raise UsageError(f"{name}: nothing is asked besides {plan.cases[0].stable_name} that is called so")
    return made[stem]


def alone(here: Setting, case: Case, order: Order) -> tuple[str, ExitCode]:
    """Write the kit and run it, unless it is only to be written."""
    if here.unbuilt and order.arm in (HEAD.name, FALLBACK.name):
        return f"{case.name}, {order.arm}: {here.unbuilt}", ExitCode.FAIL
    work = {arm: replace(job(here.plan, arm, case), seed=order.seed) for arm in arms_of(here.plan, case)}
    arm = next((a for a in work if a.name == order.arm), None)
    if arm is None:
        raise HostError(f"not run: base has no {case.kernel} that takes the arguments of {case.workload}")
    folder = order.out or below(folder_at(here.manifest.root) / "repro", case.name)
    base_root = here.base.folder if Tree.BASE in here.workplace.trees else None
    kit = written(folder, here.workplace, base_root, arm, work)
    if order.write_only:
        return f"written, not run: {again(kit, arm)}", ExitCode.GREEN
    with blank_ledger(kit.folder) as ledger:
        start = partial(fresh, argv=kit.argv)
        moved = replace(here, workplace=kit.workplace, ledger=ledger, start=start)
        found = ran(Bench(setting=moved, emit=silent), case, kit, order)
    kit.note([c.bound for c in found.comparisons])
    said = tuple(lines(kit, case, arm, found, work[arm].entry))
    kit.tidy()
    return "\n".join(said), code_of(found)


@contextmanager
def blank_ledger(folder: Path) -> Iterator[Ledger]:
    """Of this one run: what an earlier one found out is asked anew, and nothing goes on from it."""
    path = folder / "ledger.jsonl"
    path.unlink(missing_ok=True)
    try:
        with Ledger.open(path) as ledger:
            yield ledger
    finally:
        path.unlink(missing_ok=True)


def arms_of(plan: Plan, case: Case) -> tuple[Arm, ...]:
    """Base's arms where base takes this case's arguments, and then its reference in place of head's."""
    if same_signature(plan, case):
        return (HEAD, FALLBACK, BASE, of_base(REFERENCE))
    return (HEAD, FALLBACK, REFERENCE)


def ran(bench: Bench, case: Case, kit: Kit, order: Order) -> Found:
    """The arm's answer, held against its reference by the tolerance that a check would derive."""
    plan, setting = bench.setting.plan, bench.setting
    reference = arms_of(plan, case)[-1]
    derive(bench, case, reference)

    def answered(arm: Arm) -> Outcome:
        work = replace(job(plan, arm, case), seed=order.seed)
        return run_outputs(setting.workplace, arm, (work,), {}, silent, start=setting.start)[work.case]

    right = answered(reference) if order.seed else bench.outcomes[REFERENCE, case]
    if order.tool:
        outcome, remark = tools.run(order.tool, kit, kit.arm)
    else:
        outcome, remark = (right if kit.arm == reference else answered(kit.arm)), ""
    if kit.arm == reference:
        return Found(outcome=outcome, remark=remark)
    found = Found(outcome=outcome, reference=right, remark=remark)
    if not isinstance(outcome, Measurement) or not isinstance(right, Measurement):
        return found
    mutates = plan.kernels[case.kernel].mutates
    return replace(
        found,
        comparisons=held(bench, case, kit.arm, order.seed, outcome, right),
        changed=[str(name) for name in outcome.facts.get("inputs-changed", ()) if name not in mutates],
    )


def held(
    bench: Bench, case: Case, arm: Arm, seed: int, outcome: Measurement, right: Measurement
) -> tuple[Comparison, ...]:
    one = question(bench.setting, bench.answers, arm, case, outcome.outputs, right)
    asked = Asked(name=f"{arm.name}|{case.name}", arm=arm, case=case, question=one, seed=seed)
    return next(answers(bench.setting, [asked]))


def derive(bench: Bench, case: Case, reference: Arm) -> None:
    """What the tolerance comes from, on inputs as drawn whatever the seed: the fallbacks' own errors."""
    plan = bench.setting.plan
    fallbacks = (FALLBACK, of_base(FALLBACK)) if reference.tree is Tree.BASE else (FALLBACK,)
    for arm, filed in (*((f, f) for f in fallbacks), (reference, REFERENCE)):
        bench.launch(arm, filed, (job(plan, arm, case),), {})
    bench.compare_all()


def code_of(found: Found) -> ExitCode:
    if isinstance(found.outcome, Failure):
        return ExitCode.NO_VERDICT if found.outcome.reason in NOT_HERE else ExitCode.FAIL
    if isinstance(found.reference, Failure):
        return ExitCode.NO_VERDICT
    sound = all(c.holds for c in found.comparisons) and not found.changed and not found.remark
    return ExitCode.GREEN if sound else ExitCode.FAIL


def lines(kit: Kit, case: Case, arm: Arm, found: Found, function: str) -> Iterator[str]:
    """What became of it, what the arm printed, the numbers, what to do, and where everything lies."""
    yield f"{case.name}, {arm.name}: {plain(headline(found))}"
    yield from (f"  | {plain(line)}" for line in kit.said(arm).splitlines()[-SHOWN_LINES:])
    for comparison in found.comparisons:
        if not comparison.holds:
            yield difference(comparison)
        numbers = (f"{m.name} {m.value:.9g}" for m in comparison.metrics.values() if not m.where)
        yield f"output {comparison.output}: {', '.join(numbers) or 'not compared'}"
    if advice := advice_for(found, function):
        yield f"do: {advice}"
    kept = dict.fromkeys(path for each in (arm, REFERENCE) for path in kit.kept(each))
    yield from (f"kept: {path}" for path in kept)
    yield f"again: {again(kit, arm)}"


def again(kit: Kit, arm: Arm) -> str:
    """What to type for the arm and its reference."""
    return shlex.join(kit.alone(arm)[:2])


def headline(found: Found) -> str:
    if isinstance(found.outcome, Failure):
        not_run = "not run: " if found.outcome.reason in NOT_HERE else ""
        return f"{not_run}{happened(found.outcome)}"
    if found.reference is None:
        return "answered"
    if isinstance(found.reference, Failure):
        return f"compared with nothing: the reference {happened(found.reference)}"
    faults = ["differs from the reference"] if not all(c.holds for c in found.comparisons) else []
    faults += [f"changes its input {', '.join(found.changed)}"] if found.changed else []
    faults += [found.remark] if found.remark else []
    return "; ".join(faults) or "holds against the reference"


def advice_for(found: Found, function: str) -> str:
    if isinstance(found.outcome, Failure):
        return reason_advice(found.outcome.reason, function)
    if isinstance(found.reference, Failure):
        return reason_advice("narrowed", function)
    broken = next((c for c in found.comparisons if not c.holds), None)
    return "" if broken is None else rung_advice("contract" if broken.mismatch else "correctness", function)
