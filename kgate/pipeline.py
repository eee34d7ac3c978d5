"""
check(): the whole product in one function. Read this first.

    manifest -> setting -> answers of every arm -> drills -> times of every arm -> findings -> verdict

`kgate drill` is the same, with nothing planned but drills and what they are judged by.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from kgate import __version__, correctness, drills, dump, history, latency, premises, proving, rules, setting
from kgate.allowance import NO_END, Allowance, left_over
from kgate.answers import Answers
from kgate.load import owners, proofs, tree
from kgate.model import Drill, Failure, Finding, Kernel, Level, Ownership, Report, Route, Run, Tree, verdict_of
from kgate.options import Options
from kgate.plan import LATENCY_RULES, same_signature
from kgate.premises import Attempt
from kgate.setting import Emit, Setting
from kgate.varying import untried

PREPARE = "prepare"


def check(options: Options, emit: Emit) -> Report:
    """Run all that the manifest asks for on this machine and judge it. Raises KgateError where there can be no run."""
    started, clock = datetime.now(timezone.utc), time.monotonic()
    allowance = Allowance(began_s=clock, budget_s=60 * options.budget_min) if options.budget_min else NO_END
    ready = recorded(narrowed(setting.prepare(options, emit), options))
    drilled = drills.planned(ready.plan, options.drills)
    attempt = premises.begun(options, started.isoformat())
    premises.record_attempt(ready.ledger, attempt)
    prepared = time.monotonic()
    with setting.zygotes(ready, emit, launches=not options.drills_only) as here:
        answers = answered(here, options, drilled, emit)
        compared = time.monotonic()
        answers = drills.answers(here, answers, drilled, emit)
        met = time.monotonic()
        times = latency.Times() if options.drills_only else timed(here, answers, options, emit, allowance)
        ended = time.monotonic()
    owned = ownerships(here, answers, here.manifest.root, here.plan.kernels, Tree.HEAD)
    owned_before = base_ownerships(here, answers)
    premises.record_ownership(here.ledger, owned, owned_before)
    run = observed(here, answers, times, owned, owned_before)
    run = drills.told(run, drilled, options.drills, alone=options.drills_only)
    left = left_over(allowance, times.over_budget, len(here.plan.cases))
    findings = rules.judge(run, here.manifest.policy)
    run = with_live_runs(here, run, green=verdict_of(findings).exit_code == 0)
    undumped = dump.write(options.dump, run) if options.dump else ()
    cost_s = {
        PREPARE: prepared - clock,
        "compile": answers.compile_s,
        "answers": compared - prepared - answers.compile_s,
        "drills": met - compared,
        "times": ended - met,
    }
    done = replace(attempt, resumed=answers.resumed, wall_s=time.monotonic() - clock, cost_s=cost_s)
    premises.record_attempt(here.ledger, done)
    run = replace(run, remarks=(*run.remarks, *undumped, *times.remarks, *filter(None, (left,))))
    report = reported(here, run, findings, done, attempts=len(premises.attempts(here.ledger)))
    prove(here, report, options)
    # Not in a `finally`: an interrupted run leaves its files, and the same command goes on from them.
    setting.clean(here, {key: o for key, o in run.outcomes.items() if not drills.under_a_condition(key[0])})
    return report


def prove(here: Setting, report: Report, options: Options) -> None:
    """What this run has proved, for those that come after it, at the cost of all its attempts."""
    made = premises.attempts(here.ledger)
    worked_s = sum(cost for attempt in made for stage, cost in attempt.cost_s.items() if stage != PREPARE)
    found = proving.proof_of(here, report, worked_s * len(here.devices)) if options.drills != "none" else None
    if found is not None:
        proofs.keep(here.folder.parent, found)


def reported(here: Setting, run: Run, findings: tuple[Finding, ...], made: Attempt, *, attempts: int) -> Report:
    """What is told of a run; `made` is the attempt whose cost is told, one of `attempts`."""
    return Report(
        version=__version__,
        verdict=verdict_of(findings),
        findings=findings,
        run=run,
        manifest=str(here.manifest.path.relative_to(here.manifest.root)),
        head=here.head.commit + ("+dirty" if here.head.dirty else ""),
        base=here.base.commit,
        started=datetime.fromisoformat(made.started).isoformat(timespec="seconds"),
        wall_s=made.wall_s,
        cost_s=made.cost_s,
        command=made.command,
        resumed=made.resumed,
        key=here.folder.name,
        attempts=attempts,
        sandbox=here.workplace.sandbox.mode,
    )


def with_live_runs(here: Setting, run: Run, *, green: bool) -> Run:
    """The gate's own record, this run in it, which `kgate report` finds in the ledger."""
    live = history.counted(here.folder.parent, run.device, here.folder.name, green if history.is_clean(run) else None)
    standing = replace(run.standing, live=live)
    premises.record_standing(here.ledger, standing)
    return replace(run, standing=standing)


def recorded(ready: Setting) -> Setting:
    """On record before anything is measured, with a remark where an earlier run could not be gone on with."""
    ready = replace(ready, remarks=(*ready.remarks, *premises.begun_anew(ready)))
    premises.record(ready)
    return ready


def narrowed(ready: Setting, options: Options | Attempt) -> Setting:
    return replace(ready, plan=drills.alone(ready.plan)) if options.drills_only else ready


def answered(here: Setting, options: Options, drilled: Sequence[Drill], emit: Emit) -> Answers:
    if options.drills_only:
        return drills.grounds(here, drilled, emit)
    return correctness.answers(here, emit, dumps=options.dump is not None)


def timed(here: Setting, answers: Answers, options: Options, emit: Emit, allowance: Allowance) -> latency.Times:
    return latency.times(here, answers, latency_levels(here), options.launches, emit, allowance)


def latency_levels(here: Setting) -> Mapping[str, Level]:
    on_gpu = here.plan.target.kind != "cpu"
    return {rule: rules.level_of(rule, here.manifest.policy, on_gpu) for rule in LATENCY_RULES}


def observed(
    here: Setting,
    answers: Answers,
    times: latency.Times,
    owned: Mapping[str, Ownership],
    owned_before: Mapping[str, Ownership],
) -> Run:
    """Everything seen, in the one value that rules read."""
    return Run(
        kernels=here.plan.kernels,
        cases=here.plan.cases,
        variants=here.plan.variants,
        device=here.plan.target.name,
        on_gpu=here.plan.target.kind != "cpu",
        outcomes={**answers.outcomes, **times.outcomes},
        comparisons={**answers.comparisons, **times.comparisons},
        latency=times.latency,
        void=times.void,
        checked_only=times.checked_only,
        over_budget=frozenset(times.over_budget),
        paces=times.paces,
        shift=times.shift,
        instrument=times.instrument,
        standing=here.standing,
        terms=here.terms,
        ownership=owned,
        base_ownership=owned_before,
        base_kernels=here.plan.base_kernels,
        baseline=here.stored,
        fingerprint=here.fingerprint,
        base_ran=here.base.manifest is not None,
        carried=here.plan.carried,
        not_in_base=frozenset(c for c in here.plan.cases if not same_signature(here.plan, c)),
        remarks=(*here.remarks, *untried(here.plan)),
    )


def ownerships(
    here: Setting, answers: Answers, root: Path, kernels: Mapping[str, Kernel], side: Tree
) -> Mapping[str, Ownership]:
    found = owners.read(root, tree.files(root))
    return {n: owners.ownership(found, kernel, files_of(here, answers, kernel, side)) for n, kernel in kernels.items()}


def base_ownerships(here: Setting, answers: Answers) -> Mapping[str, Ownership]:
    if here.base.folder is None:
        return {}
    return ownerships(here, answers, here.base.folder, here.plan.base_kernels, Tree.BASE)


def files_of(here: Setting, answers: Answers, kernel: Kernel, side: Tree) -> tuple[str, ...]:
    """
    The kernel's files from the git root: what workers loaded for its paths and its dispatch, where its functions should
    be if none told, and what an earlier run has told of one that is carried. What the reference alone needs is no part
    of what the product runs.
    """
    if carried := next((why for case, why in here.plan.carried.items() if case.kernel == kernel.name), None):
        return carried.product
    prefix = here.manifest.folder.relative_to(here.manifest.root)
    loaded: set[str] = set()
    for (arm, case), outcome in answers.outcomes.items():
        if arm.tree is side and arm.route is not Route.REFERENCE and case.kernel == kernel.name:
            loaded |= set(outcome.files if isinstance(outcome, Failure) else outcome.facts.get("loaded-files", {}))
    if not loaded:
        modules = {entry.partition(":")[0] for entry in (kernel.dispatch, kernel.custom, kernel.fallback)}
        named = {m.replace(".", "/") + ".py" for m in modules}
        loaded = {n for n in named if (here.manifest.folder / n).is_file()}
    return tuple(sorted((prefix / name).as_posix() for name in loaded))
