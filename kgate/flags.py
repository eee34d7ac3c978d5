"""Flags that several commands have in common."""

from pathlib import Path

import click

MANIFEST = click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    envvar="KGATE_MANIFEST",
    default=Path("kgate.yaml"),
    show_default=True,
    help="The manifest file.",
)
BASE = click.option(
    "--base", envvar="KGATE_BASE", default="", metavar="REF|none", help="Commit to compare with. [default: merge base]"
)
DEVICE = click.option(
    "--device",
    envvar="KGATE_DEVICE",
    default="auto",
    metavar="auto|cpu|cuda[:N]",
    show_default=True,
    help="Where kernels run.",
)
PYTHON = click.option(
    "--python",
    envvar="KGATE_PYTHON",
    default="",
    metavar="PATH",
    help="Interpreter with torch and the DSLs. [default: the manifest's, else python3]",
)
KERNELS = click.option(
    "--kernel", "kernels", multiple=True, metavar="GLOB", help="Only these kernels; may be given again."
)
WORKLOADS = click.option(
    "--workload", "workloads", multiple=True, metavar="GLOB", help="Only these workloads; may be given again."
)
FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
DRILLS = click.option(
    "--drills",
    envvar="KGATE_DRILLS",
    type=click.Choice(["smallest", "all", "none"]),
    default="smallest",
    show_default=True,
    help="Workloads that meet every condition: of each dtype and option the smallest, all, or none.",
)
SANDBOX = click.option(
    "--sandbox",
    envvar="KGATE_SANDBOX",
    type=click.Choice(["none", "auto", "namespaces", "container"]),
    default="none",
    show_default=True,
    metavar="KIND",
    help="Around kernels: none, namespaces, container; auto: what works here.",
)
VIEW = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", "junit", "github"]),
    default="text",
    show_default=True,
    help="What to print.",
)
RESULTS = click.option(
    "--results",
    envvar="KGATE_RESULTS",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write report.json, report.txt, comment.md and the samples here.",
)
STREAM = click.option(
    "--stream", is_flag=True, help="Print each event as a line of JSON while it happens, instead of the report."
)
LIST = click.option("--list", "listing", is_flag=True, help="Show kernels and workloads, and run nothing.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would run, and run nothing.")
REPORT = click.option(
    "--from",
    "report",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="Results of a run. [default: the last run here]",
)
