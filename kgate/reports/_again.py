"""What to type to see the same findings: at the same commits, and nothing but what blocks."""

from collections.abc import Sequence
from shlex import quote

from kgate.model import Finding, Report, Scope

LONGEST_FLAGS = 1000  # characters; beyond that the whole check is as good


def checkout(report: Report) -> str:
    """ "" where no commit holds what was measured."""
    return "" if "+" in report.head or not report.head else f"git checkout {report.head}"


def command(report: Report, about: Sequence[Finding] | None = None) -> str:
    """The run's own command, with the base that it chose, narrowed to what blocks, or to what findings are `about`."""
    base = f" --base {quote(report.base)}" if report.base and "--base" not in report.command else ""
    chosen = [f for f in report.findings if f.blocks] if about is None else about
    return f"{report.command}{base}{narrowed(report, chosen)}"


def narrowed(report: Report, blocking: Sequence[Finding]) -> str:
    """
    `--kernel` for each kernel that blocks, `--workload` where all is about one kernel's; "" if that is too long.
    Nothing that the run was told itself: `--kernel` among its own flags stays alone, `--workload` is not said twice.
    """
    kernels = list(dict.fromkeys(f.kernel for f in blocking if f.kernel))
    if not set(kernels) <= set(report.run.kernels):
        return ""  # one is of no entry: only the whole check shows it
    flags = [f" --kernel {quote(name)}" for name in kernels]
    told = "--workload" in report.command
    if not told and len(kernels) == 1 and all(f.scope is Scope.CASE for f in blocking):
        names = dict.fromkeys(f.name.removeprefix(f"{f.kernel}/") for f in blocking)
        flags += [f" --workload {quote(name)}" for name in names]
    text = "".join(flags)
    return "" if "--kernel" in report.command or len(text) > LONGEST_FLAGS else text
