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
REPORT = click.option(
    "--from",
    "report",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="Results of a run. [default: the last run here]",
)
