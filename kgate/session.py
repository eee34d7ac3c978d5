"""
One `kgate check` or `kgate compile` at a terminal or in a pipe: the work, progress, files and printing joined together.
The terminal and the results folder belong to this module; the pipeline knows neither.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgate.errors import ExitCode, HostError
from kgate.model import Event, Report, Verdict
from kgate.options import Options
from kgate.runner.state import LEDGER, folder_at, untrimmed

if TYPE_CHECKING:
    from kgate import calibration, compilation, injection
    from kgate.reports import Style

STREAM = "stream"


class Shown(Enum):
    LISTING = "listing"
    DRY_RUN = "dry-run"


def check(options: Options, form: str, results: Path | None) -> ExitCode:
    """Run the pipeline and print its report as `form`, or every event for STREAM; the exit code is the verdict's."""
    from kgate.reports import events

    with ExitStack() as stack:
        emit = (lambda event: click.echo(events.render(event))) if form == STREAM else shown_on_terminal(stack)
        report = measured(options, emit, results)
    with suppress(BrokenPipeError):
        if form == STREAM:
            for event in events.of_report(report):
                click.echo(events.render(event))
        else:
            click.echo(rendered(report, form), nl=False)
        sys.stdout.flush()
    return report.verdict.exit_code


def measured(options: Options, emit: Callable[[Event], None], results: Path | None = None) -> Report:
    """The pipeline's report, once its files are written: who reads it and goes away early must not cost them."""
    from kgate import pipeline
    from kgate.load import last, manifest

    path = manifest.located(options.manifest)
    root = manifest.root_of(path.parent)
    for flag, folder in (("--results", results), ("--dump", options.dump)):
        if folder is not None:
            ready(flag, folder, root)
    report = pipeline.check(options, emit)
    texts = texts_of(report)
    write(texts, folder_at(root) / last.folder_name(path, root))
    if results is not None:
        write(texts, results)
        keep(folder_at(root) / f"{report.key}.jsonl", results)
    return report


def shown_on_terminal(stack: ExitStack) -> Callable[[Event], None]:
    """What shows events as one line of progress while `stack` is open; in a pipe nothing."""
    if not sys.stderr.isatty():
        return lambda event: None
    from kgate.progress import Progress

    return stack.enter_context(Progress()).show


def compile_all(options: "compilation.Options", form: str) -> ExitCode:
    """`kgate compile`: the exit code is the verdict's."""
    from kgate import compilation
    from kgate.compilation import table
    from kgate.load import manifest

    if options.dump is not None:
        ready("--dump", options.dump, manifest.root_of(manifest.located(options.manifest).parent))
    with ExitStack() as stack:
        found = compilation.compile_all(options, shown_on_terminal(stack))
    click.echo(table.FORMATS[form](found), nl=False)
    return found.verdict.exit_code


def calibrate(options: Options, effort: "calibration.Effort", form: str) -> ExitCode:
    """`kgate calibrate`: no verdict, and no exit code but that it was done; NO_VERDICT where no case was timed."""
    from kgate import calibration
    from kgate.calibration import table

    with ExitStack() as stack:
        done = calibration.calibrate(options, effort, shown_on_terminal(stack))
    click.echo(table.FORMATS[form](done), nl=False)
    return ExitCode.GREEN if done.found.cases else ExitCode.NO_VERDICT


def inject(options: Options, order: "injection.Order", form: str) -> ExitCode:
    """`kgate inject`: no verdict; NO_VERDICT where nothing could be put in."""
    from kgate import injection
    from kgate.injection import table

    with ExitStack() as stack:
        found = injection.inject(options, order, shown_on_terminal(stack))
    click.echo(table.FORMATS[form](found), nl=False)
    return ExitCode.GREEN if found.tests else ExitCode.NO_VERDICT


def rendered(report: Report, form: str) -> str:
    from kgate.reports import FORMATS, render

    assert form in FORMATS, form
    return render(report, form, style())


def style() -> "Style":
    """Of standard output."""
    from kgate.reports import Style

    return Style(colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ, width=80)


def told(texts: Mapping[str, str], folder: Path | None, shown: str, verdict: Verdict) -> ExitCode:
    """What is judged again: its files first, then what is shown."""
    if folder is not None:
        write(texts, folder)
    click.echo(shown, nl=False)
    return verdict.exit_code


def ready(flag: str, folder: Path, root: Path) -> None:
    """
    Before anything runs: a folder that cannot be written is said now, not after the measurement.

    A new one in the repository tells git to pass over it. It would else be an uncommitted change to the next run, which
    would measure anew, and against another base.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0")  # a full disk still takes an empty file
        if folder.resolve().is_relative_to(root) and not any(folder.iterdir()):
            (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise HostError(f"{flag} {folder}: cannot be written ({error.strerror}); choose another folder") from error


def texts_of(report: Report) -> Mapping[str, str]:
    """By file name; made once, since the samples of a hundred cases take seconds to write as JSON."""
    from kgate.reports import Style, render

    plain = Style(colour=False, width=80)
    forms = {"report.json": "json", "report.txt": "text", "comment.md": "markdown"}
    return {name: render(report, form, plain) for name, form in forms.items()}


def write(texts: Mapping[str, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritten(folder, error) from error


def keep(ledger: Path, results: Path) -> None:
    """The samples themselves beside the report, for `kgate report`; as they were before any were put aside."""
    try:
        shutil.copyfile(untrimmed(ledger), results / LEDGER)
    except OSError as error:
        raise unwritten(results, error) from error


def unwritten(folder: Path, error: OSError) -> HostError:
    return HostError(f"{folder}: the report cannot be written there ({error.strerror}); free some space")


def show(options: Options, what: Shown) -> ExitCode:
    """--list and --dry-run: read the manifest, start nothing of the repository's."""
    from kgate import listing
    from kgate.load import manifest, selection, tree

    chosen = selection.select(manifest.load(options.manifest), options.kernels, options.workloads)
    if what is Shown.LISTING:
        click.echo(listing.kernels(chosen))
    else:
        base = tree.resolve_base(chosen.root, options.base)
        said = listing.dry_run(chosen, base, options.device, options.drills, drills_only=options.drills_only)
        click.echo(said)
    return ExitCode.GREEN
