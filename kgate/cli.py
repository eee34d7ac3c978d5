"""
Flags in, exit code out. One short function per command and no logic: each hands its values to the module of its name.

Everything but click is imported inside the functions, so that `kgate --help` stays fast. Over 300 lines, since it is a
list of commands and their flags.
"""

import io
import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from kgate import __version__
from kgate.errors import ExitCode, KgateError
from kgate.flags import (
    BASE,
    DEVICE,
    DRILLS,
    DRY_RUN,
    FORMAT,
    KERNELS,
    LIST,
    MANIFEST,
    PYTHON,
    REPORT,
    RESULTS,
    SANDBOX,
    STREAM,
    VIEW,
    WORKLOADS,
)

CONTEXT = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "KGATE", "max_content_width": 100}


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, prog_name="kgate")
def cli() -> None:
    """A merge gate for custom GPU kernels: correctness, latency, fallback and ownership, one verdict.

    Exit codes: 0 nothing blocks, 1 the change is at fault, 2 nothing could be run (command line or manifest), 3 no
    verdict (no GPU, nothing measured, or kgate broke), 4 the comment could not be delivered, 130 interrupted.
    """


@cli.command()
@MANIFEST
@BASE
@DEVICE
@PYTHON
@KERNELS
@WORKLOADS
@click.option(
    "--launches",
    envvar="KGATE_LAUNCHES",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Exactly N timed launches, one look. [default: until decided]",
)
@click.option(
    "--gpus", envvar="KGATE_GPUS", default="", metavar="N|cuda:0,cuda:1", help="Share the cases over several GPUs."
)
@click.option(
    "--budget",
    envvar="KGATE_BUDGET",
    type=click.FloatRange(0, min_open=True),
    metavar="MINUTES",
    help="Stop measuring in time, least weights first.",
)
@DRILLS
@click.option(
    "--plan",
    envvar="KGATE_PLAN",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Measure what this `kgate plan` lists; carry what it carries.",
)
@click.option(
    "--shard",
    envvar="KGATE_SHARD",
    type=click.IntRange(1),
    metavar="N",
    help="Only this shard of the plan. [default: all]",
)
@SANDBOX
@VIEW
@RESULTS
@click.option(
    "--dump",
    envvar="KGATE_DUMP",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also keep here what head and base compile (source, PTX, SASS, registers, …).",
)
@STREAM
@click.option(
    "--approved-by",
    multiple=True,
    metavar="NAME",
    help="Try what follows if this owner approves that less is asked than at base; may be given again.",
)
@LIST
@DRY_RUN
def check(
    manifest: Path,
    base: str,
    device: str,
    python: str,
    kernels: tuple[str, ...],
    workloads: tuple[str, ...],
    launches: int | None,
    gpus: str,
    budget: float | None,
    drills: str,
    plan: Path | None,
    shard: int | None,
    sandbox: str,
    form: str,
    results: Path | None,
    dump: Path | None,
    stream: bool,
    approved_by: tuple[str, ...],
    listing: bool,
    dry_run: bool,
) -> ExitCode:
    """Run every kernel, its fallback and its way out, and answer with one verdict."""
    from kgate import session
    from kgate.options import Options

    options = Options(
        manifest=manifest,
        base=base,
        device=device,
        python=python,
        kernels=kernels,
        workloads=workloads,
        launches=launches or 0,
        gpus=gpus,
        budget_min=budget or 0.0,
        dump=dump,
        drills=drills,
        approved_by=approved_by,
        plan=plan,
        shard=shard or 0,
        sandbox=sandbox,
    )
    if listing or dry_run:
        return session.show(options, session.Shown.LISTING if listing else session.Shown.DRY_RUN)
    return session.check(options, session.STREAM if stream else form, results)


@cli.command()
@MANIFEST
@BASE
@DEVICE
@PYTHON
@KERNELS
@WORKLOADS
@DRILLS
@SANDBOX
@VIEW
@RESULTS
@STREAM
@LIST
@DRY_RUN
def drill(
    manifest: Path,
    base: str,
    device: str,
    python: str,
    kernels: tuple[str, ...],
    workloads: tuple[str, ...],
    drills: str,
    sandbox: str,
    form: str,
    results: Path | None,
    stream: bool,
    listing: bool,
    dry_run: bool,
) -> ExitCode:
    """Run the way out alone: the product's own call where packages, GPU, compiler or kernel fail it."""
    from kgate import session
    from kgate.options import Options

    options = Options(
        manifest=manifest,
        base=base,
        device=device,
        python=python,
        kernels=kernels,
        workloads=workloads,
        drills=drills,
        drills_only=True,
        sandbox=sandbox,
    )
    if listing or dry_run:
        return session.show(options, session.Shown.LISTING if listing else session.Shown.DRY_RUN)
    return session.check(options, session.STREAM if stream else form, results)


@cli.command()
@MANIFEST
@BASE
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="NAME",
    help="As reports call it (h200, cpu); may be given again. [default: the manifest's gpus, else where runs were]",
)
@click.option(
    "--shards",
    envvar="KGATE_SHARDS",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Share the kernels of each device over N runners.",
)
@click.option(
    "--proofs",
    envvar="KGATE_PROOFS",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where proofs of earlier runs are. [default: .kgate/proofs]",
)
@FORMAT
@click.option("--matrix", is_flag=True, help="Print the jobs as a workflow's matrix instead.")
def plan(
    manifest: Path,
    base: str,
    devices: tuple[str, ...],
    shards: int,
    proofs: Path | None,
    form: str,
    matrix: bool,
) -> ExitCode:
    """Say which kernels a run has to measure and which it carries, without a GPU; keeps .kgate/plan.json.

    A kernel is carried where nothing that it rests on has changed since a run of base's history proved it.

    Exit codes: 0 planned, 2 there is no such manifest or commit.
    """
    from kgate import planning
    from kgate.planning import table

    found = planning.plan(planning.Order(manifest=manifest, base=base, devices=devices, shards=shards, proofs=proofs))
    planning.keep(table.document(found), manifest)
    click.echo(table.matrix(found) if matrix else table.FORMATS[form](found), nl=False)
    return ExitCode.GREEN


@cli.command("compile")
@MANIFEST
@click.option(
    "--arch",
    envvar="KGATE_ARCH",
    default="",
    metavar="ARCH,ARCH",
    help="Architectures, as sm_90. [default: those of the manifest's targets, else sm_80,sm_90,sm_100]",
)
@PYTHON
@KERNELS
@WORKLOADS
@click.option(
    "--jobs", envvar="KGATE_JOBS", type=click.IntRange(1, 256), metavar="N", help="Processes. [default: cores]"
)
@click.option(
    "--dump",
    envvar="KGATE_DUMP",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compile all anew, and keep here what the compilers make (source, PTX, cubin, …).",
)
@FORMAT
def compile_(
    manifest: Path,
    arch: str,
    python: str,
    kernels: tuple[str, ...],
    workloads: tuple[str, ...],
    jobs: int | None,
    dump: Path | None,
    form: str,
) -> ExitCode:
    """Compile every kernel for every architecture, on a machine that needs no GPU.

    Exit codes: 0 all compile, 1 a kernel does not, 2 there is nothing to compile, 3 a compiler is not here.
    """
    from kgate import session
    from kgate.compilation.work import Options

    options = Options(
        manifest=manifest,
        architectures=tuple(filter(None, map(str.strip, arch.split(",")))),
        python=python,
        kernels=kernels,
        workloads=workloads,
        jobs=jobs or len(os.sched_getaffinity(0)),
        dump=dump,
    )
    return session.compile_all(options, form)


@cli.command()
@click.argument("case")
@MANIFEST
@BASE
@DEVICE
@PYTHON
@click.option(
    "--arm",
    type=click.Choice(["head", "base", "fallback", "reference"]),
    default="head",
    show_default=True,
    help="Whose function to run.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder to write. [default: .kgate/repro/CASE]",
)
@click.option("--seed", type=click.IntRange(0), default=0, metavar="N", help="Inputs of the timed sample of this seed.")
@click.option("--with", "tool", type=click.Choice(["pdb", "compute-sanitizer", "ncu"]), help="Run the arm under this.")
@click.option("--write-only", is_flag=True, help="Write the folder, and run nothing.")
def repro(
    case: str,
    manifest: Path,
    base: str,
    device: str,
    python: str,
    arm: str,
    out: Path | None,
    seed: int,
    tool: str | None,
    write_only: bool,
) -> ExitCode:
    """Run one arm of CASE (KERNEL/WORKLOAD, with or without @DEVICE) alone, and keep script and tensors.

    Exit codes: 0 its outputs hold against the reference, 1 they do not or none came, 2 no such case, 3 not run.
    """
    from kgate import repro as alone
    from kgate.options import Options

    options = Options(manifest=manifest, base=base, device=device, python=python, sandbox="none")
    order = alone.Order(case=case, arm=arm, out=out, seed=seed, tool=tool or "", write_only=write_only)
    said, code = alone.repro(options, order)
    click.echo(said)
    return code


@cli.command()
@MANIFEST
@DEVICE
@PYTHON
@KERNELS
@WORKLOADS
@click.option(
    "--launches", type=click.IntRange(1, 1000), default=8, show_default=True, metavar="N", help="Launches of a start."
)
@click.option(
    "--starts", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N", help="Starts after a build."
)
@click.option(
    "--rebuilds", type=click.IntRange(1, 100), default=2, show_default=True, metavar="N", help="Builds, all anew."
)
@FORMAT
def calibrate(
    manifest: Path,
    device: str,
    python: str,
    kernels: tuple[str, ...],
    workloads: tuple[str, ...],
    launches: int,
    starts: int,
    rebuilds: int,
    form: str,
) -> ExitCode:
    """Time the same code against itself: what launches vary by, and how often the gate would err on these cases.

    Writes a file beside the baselines' folder, for review, which sets the latency rules from warn to fail on cases that
    are known well enough. Takes up what an interrupted one has measured; another day adds to what is known.

    Exit codes: 0 measured, 2 there is nothing to measure, 3 not measured.
    """
    from kgate import session
    from kgate.calibration import Effort
    from kgate.options import Options

    options = Options(manifest=manifest, device=device, python=python, kernels=kernels, workloads=workloads)
    return session.calibrate(options, Effort(rebuilds=rebuilds, starts=starts, launches=launches), form)


@cli.command()
@click.argument("case")
@MANIFEST
@DEVICE
@PYTHON
@click.option(
    "--way",
    "ways",
    multiple=True,
    type=click.Choice(["more-work", "smaller-tile", "fewer-warps", "extra-load", "misaligned", "host-delay"]),
    help="Only this way; may be given again. [default: all]",
)
@click.option(
    "--dose",
    "doses",
    multiple=True,
    type=click.FloatRange(0.1, 100),
    metavar="PERCENT",
    help="How much slower; may be given again. [default: 2, 3, 5, 7, 10]",
)
@click.option(
    "--launches", type=click.IntRange(3, 1000), metavar="N", help="Exactly N launches. [default: until decided]"
)
@FORMAT
def inject(
    case: str,
    manifest: Path,
    device: str,
    python: str,
    ways: tuple[str, ...],
    doses: tuple[float, ...],
    launches: int | None,
    form: str,
) -> ExitCode:
    """Slow CASE (KERNEL/WORKLOAD) down on purpose, in one of two arms, and say what the gate's rule makes of it.

    Exit codes: 0 measured, whatever the rule said, 2 no such case, 3 not measured.
    """
    from kgate import session
    from kgate.injection import Order
    from kgate.injection.variants import DOSES, WAYS
    from kgate.options import Options

    options = Options(manifest=manifest, device=device, python=python)
    order = Order(case=case, ways=ways or WAYS, doses=doses or DOSES, launches=launches or 0)
    return session.inject(options, order, form)


@cli.group()
def baseline() -> None:
    """Stored measurements: memory against slow creep. Recorded by a reviewed step, never by a run that judges."""


@baseline.command()
@MANIFEST
@REPORT
def record(manifest: Path, report: Path | None) -> ExitCode:
    """Write the measurements of a run that did not fail into the manifest's baselines folder, for review."""
    from kgate import baseline as stored

    click.echo(stored.record(manifest, report))
    return ExitCode.GREEN


@baseline.command()
@MANIFEST
@click.option("--device", default="", metavar="NAME", help="Only this device's file (cpu, h200, …).")
def show(manifest: Path, device: str) -> ExitCode:
    """Print what is stored."""
    from kgate import baseline as stored

    click.echo(stored.show(manifest, device))
    return ExitCode.GREEN


@baseline.command()
@MANIFEST
@REPORT
def diff(manifest: Path, report: Path | None) -> ExitCode:
    """Compare what is stored with a run."""
    from kgate import baseline as stored

    click.echo(stored.diff(manifest, report))
    return ExitCode.GREEN


@cli.command()
@MANIFEST
@FORMAT
def debt(manifest: Path, form: str) -> ExitCode:
    """List old faults: what is owed, by whom, and until when.

    Exit codes: 0 listed, 2 there is no debt file.
    """
    from kgate import indebted

    click.echo(indebted.listed(manifest, form))
    return ExitCode.GREEN


@cli.command()
@click.argument("case")
@MANIFEST
@click.option("--bound", required=True, metavar="PERCENT", help="How much slower it may be: 8% or 0.08.")
@click.option("--reason", required=True, metavar="TEXT", help="What the time buys.")
@click.option("--until", required=True, metavar="DATE", help="The last day on which this holds, as YYYY-MM-DD.")
@click.option(
    "--rule",
    type=click.Choice(["slower-than-base", "slower-than-fallback"]),
    default="slower-than-base",
    show_default=True,
    help="Whose finding.",
)
def accept(case: str, manifest: Path, bound: str, reason: str, until: str, rule: str) -> ExitCode:
    """Accept that CASE (KERNEL/WORKLOAD) is slower, up to a bound and a day: writes an entry, for review.

    Exit codes: 0 written, 2 there is no such case, or the bound or the day makes no sense.
    """
    from kgate import acceptance

    order = acceptance.Order(manifest=manifest, case=case, rule=rule, bound=bound, reason=reason, until=until)
    click.echo(acceptance.accept(order))
    return ExitCode.GREEN


@cli.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR]...")
@MANIFEST
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", "junit", "github", "pytest-benchmark"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--base",
    default="",
    metavar="REF|none",
    help="Join the legs of a change: demand each that REF's manifest expects, and judge by REF's values and files.",
)
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="With --base: what was measured.")
@click.option(
    "--shards",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="With --base: as `kgate plan` was told.",
)
@click.option(
    "--proofs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="With --base: as `kgate plan` was told. [default: none]",
)
@DRILLS
@click.option(
    "--needs",
    default="",
    metavar="JSON",
    help="With --base: GitHub's `needs`, all of whose jobs have to have ended well.",
)
@click.option(
    "--reviews",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --base: reviews of the pull request, as the action fetches them. [default: none]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write report.json, report.txt and comment.md here.",
)
def report(
    results: tuple[Path, ...],
    manifest: Path,
    form: str,
    base: str,
    head: str,
    shards: int,
    proofs: Path | None,
    drills: str,
    needs: str,
    reviews: Path | None,
    out: Path | None,
) -> ExitCode:
    """Judge the samples of a run again, and tell them in any format; nothing is measured.

    DIR is a folder that `kgate check --results` wrote, or its ledger; several attempts at the same thing are pooled.
    Without DIR it is the last run here. The exit code is the verdict's, as that of `kgate check`.

    With --base each DIR is of a leg, or holds folders of legs, and is read as what anybody may have written. A leg that
    is missing, extra or of another commit leaves no verdict.
    """
    from kgate import joining, session
    from kgate import report as reports

    if not base:
        again = reports.again(results, manifest)
        return session.told(session.texts_of(again) if out else {}, out, session.rendered(again, form), again.verdict)
    order = joining.Order(
        folders=results,
        manifest=manifest,
        base=base,
        head=head,
        shards=shards,
        proofs=proofs,
        drills=drills,
        needs=needs,
        reviews=reviews,
    )
    found = joining.join(order)
    shown = joining.rendered(found, form, session.style())
    return session.told(joining.texts_of(found) if out else {}, out, shown, found.verdict)


@cli.command()
@click.argument("results", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Print the comment instead of posting it.")
def comment(results: Path, dry_run: bool) -> ExitCode:
    """Post or update the pull request's comment from RESULTS, the folder that `kgate check --results` wrote."""
    from kgate.github import comment as comments

    with comments.told(os.environ):
        delivery = comments.post(results, os.environ, dry_run=dry_run)
    click.echo(" ".join(filter(None, (delivery.sentence, delivery.url))))
    return ExitCode.GREEN


@cli.command()
@PYTHON
@click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    envvar="KGATE_MANIFEST",
    metavar="FILE",
    help="The manifest file. [default: kgate.yaml, if it is there]",
)
@FORMAT
def doctor(python: str, manifest: Path | None, form: str) -> ExitCode:
    """Say what of this machine a run would use, what is missing or does not fit, and what will run here.

    In a git repository it also looks at the workflows that run the gate; at GitHub's settings only with a token.

    Exit codes: 0 looked, whatever was found, 2 the manifest that is named is not there.
    """
    from kgate.doctor import examine, table

    click.echo(table.FORMATS[form](examine(manifest, python)), nl=False)
    return ExitCode.GREEN


@cli.command()
@click.argument("kernel")
@MANIFEST
@click.option(
    "--trace",
    envvar="KGATE_TRACE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="torch.profiler's Chrome JSON, also .gz. [default: the manifest's evidence]",
)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    metavar="GLOB",
    help="Operators or kernels of the trace; may be given again. [default: production_operator and device_kernels]",
)
@click.option("--within", default="", metavar="GLOB", help="Only calls within a range or a module of this name.")
@click.option(
    "--decode-rows",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    metavar="N",
    help="Up to N rows are decode, where no range says so.",
)
@REPORT
@FORMAT
def decide(
    kernel: str,
    manifest: Path,
    trace: Path | None,
    operators: tuple[str, ...],
    within: str,
    decode_rows: int,
    report: Path | None,
    form: str,
) -> ExitCode:
    """Say whether KERNEL is worth having: how hot its operator is, its rival, whose workloads, and the way out.

    A kernel that is not written yet needs no entry in the manifest: name its `--operator`.

    Exit codes: 0 looked, whatever was found, 2 there is no such kernel, trace or report.
    """
    from kgate.evidence import Order, table
    from kgate.evidence import decide as decided

    order = Order(
        kernel=kernel,
        manifest=manifest,
        trace=trace,
        report=report,
        operators=operators,
        within=within,
        decode_rows=decode_rows,
    )
    click.echo(table.FORMATS[form](decided(order)), nl=False)
    return ExitCode.GREEN


@cli.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@MANIFEST
@PYTHON
@KERNELS
@click.option(
    "--entry", "entries", multiple=True, metavar="MODULE:FUNCTION", help="Watch this as well, without a manifest entry."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("capture.yaml"),
    show_default=True,
    metavar="FILE",
    help="Where to write.",
)
def capture(
    command: tuple[str, ...],
    manifest: Path,
    python: str,
    kernels: tuple[str, ...],
    entries: tuple[str, ...],
    out: Path,
) -> ExitCode:
    """Run COMMAND and record what it calls the manifest's kernels with: shapes, dtypes, scalars, never values.

    A `python` that begins COMMAND is the manifest's interpreter. `kgate init --from-capture FILE` makes workloads of
    what was recorded.

    Exit codes: 0 recorded, 2 there is nothing to watch, 3 nothing was called.
    """
    from kgate.capture import Order
    from kgate.capture import capture as captured

    order = Order(command=command, manifest=manifest, out=out, python=python, kernels=kernels, entries=entries)
    said, code = captured(order)
    click.echo(said, err=True)
    return code


@cli.command()
@MANIFEST
@click.option(
    "--from-capture",
    "captures",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Write a manifest with the workloads that `kgate capture` recorded; may be given again.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    metavar="N",
    help="Workloads of a kernel, the most called.",
)
@click.option(
    "--adopt", is_flag=True, help="Write the faults of a run into the debt file, so that none of them blocks."
)
@REPORT
@click.option("--owner", default="", metavar="NAME", help="Who answers for what nobody is named for.")
@click.option("--expires", default="", metavar="DATE", help="Until when, as YYYY-MM-DD. [default: in 90 days]")
@click.option("--force", is_flag=True, help="Put the proposal in the place of files that are there.")
def init(
    manifest: Path,
    captures: tuple[Path, ...],
    most: int,
    adopt: bool,
    report: Path | None,
    owner: str,
    expires: str,
    force: bool,
) -> ExitCode:
    """Propose a manifest and a workflow for the kernels that this repository holds, found by reading.

    Shows what it writes as a difference, changes no file that is there but with --force, and ends with the next
    command. --from-capture and --adopt write the later files: workloads that a run has called, and old faults as debt;
    a manifest that is there is then printed anew, for you to compare and to put in its place.
    """
    from kgate import adoption, proposal
    from kgate import init as beginning

    if adopt and captures:
        raise click.UsageError("--from-capture FILE and --adopt write different things; give one of them")
    if adopt:
        click.echo(adoption.adopt(manifest, report, owner, expires))
        return ExitCode.GREEN
    if not captures:
        proposed = proposal.propose(manifest, owner)
        click.echo(proposal.shown(proposed), nl=False)
        for line in (*proposal.write(proposed, force=force), *proposal.told(proposed)):
            click.echo(line, err=True)
        return ExitCode.GREEN
    made = beginning.from_captures(captures, manifest, most)
    if made.path is None:
        click.echo(made.text, nl=False)
    for line in beginning.told(made):
        click.echo(line, err=True)
    return ExitCode.GREEN


@cli.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> ExitCode:
    """Say what RULE wants, why, and how to satisfy it; without RULE, list them all."""
    from kgate import rules

    click.echo(rules.explain(rule) if rule else rules.overview())
    return ExitCode.GREEN


@cli.command()
@click.argument(
    "name",
    type=click.Choice(
        ["manifest", "baseline", "calibration", "report", "joined", "run", "compile", "decide", "debt", "plan"]
    ),
)
def schema(name: str) -> ExitCode:
    """Print the JSON Schema NAME, for editors and other programs."""
    from kgate.load import schemas

    click.echo(schemas.text(name), nl=False)
    return ExitCode.GREEN


def typed() -> str:
    """The command as it was typed, for a report of a bug."""
    return shlex.join(["kgate", *sys.argv[1:]])


def main() -> NoReturn:
    """Run the command line and end the process in one of the documented exit codes."""
    signal.signal(signal.SIGTERM, stop)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign must not cost a verdict
    code = ended()
    try:
        sys.stdout.flush()
    except OSError:
        # Nobody reads any more. Python would flush once more at its end, and put its own exit code in place of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def ended() -> int:
    """Every way out of kgate ends here, as its exit code."""
    try:
        code = cli.main(prog_name="kgate", standalone_mode=False)
        return code if isinstance(code, int) else ExitCode.GREEN
    except click.ClickException as error:
        error.show()
        return ExitCode.NO_RUN
    except (click.Abort, KeyboardInterrupt):
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, signal.SIG_IGN)  # `timeout` sends it twice, and so does an impatient finger
        click.echo("kgate: interrupted; what was measured is kept, the same command goes on from there", err=True)
        return ExitCode.INTERRUPTED
    except KgateError as error:
        click.echo(f"kgate: {error}", err=True)
        return error.exit_code
    except (BrokenPipeError, SystemExit):
        # The reader went away, to which click answers with a 1, and that would say that the change is at fault.
        return ExitCode.NO_VERDICT
    except Exception:  # noqa: BLE001  the last line of defence: a bug of kgate's own is never the author's fault
        from kgate import bug

        click.echo(bug.report(typed()), err=True)
        return ExitCode.NO_VERDICT


def stop(signum: int, frame: FrameType | None) -> NoReturn:
    """A runner that cancels a job sends SIGTERM: the same as Ctrl-C."""
    raise KeyboardInterrupt
