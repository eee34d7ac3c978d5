"""
The step summary and the outputs of the action's step: `python -m kgate.github.summary RESULTS EXIT-CODE`.

The exit code is the truth; what the report says beside it is shown, never believed.
"""

import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from kgate.errors import DeliveryError, ExitCode
from kgate.github.fit import fit
from kgate.github.results import contents, facts_of

LIMIT_BYTES = 1 << 20  # of one step's summary; the runner drops the whole file above it
SPARE_BYTES = 1 << 10
OUTPUT_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
OUTPUT_LIMIT = 4096  # characters of a value
WORDS = {ExitCode.FAIL: "fail", ExitCode.NO_RUN: "no-run", ExitCode.NO_VERDICT: "no-verdict"}


def main(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Exit code 4 where a file cannot be written; the action's step goes on with the gate's own code."""
    results, code = Path(arguments[0]), int(arguments[1])
    try:
        if path := environ.get("GITHUB_OUTPUT"):
            write_outputs(Path(path), outputs_of(results, code))
        if path := environ.get("GITHUB_STEP_SUMMARY"):
            write_summary(Path(path), text_of(results / "comment.md", code))
    except DeliveryError as error:
        print(f"kgate: {error}", file=sys.stderr)
        return ExitCode.DELIVERY
    return ExitCode.GREEN


def outputs_of(results: Path, code: int) -> dict[str, str]:
    """`verdict`, `exit-code` and `report` (path, "" if none was written)."""
    report = results / "report.json"
    return {
        "verdict": verdict_of(report, code),
        "exit-code": str(code),
        "report": str(report) if report.is_file() else "",
    }


def verdict_of(report: Path, code: int) -> str:
    """Where the exit code leaves a choice, pass or warn, the report's word; else the code's."""
    if code != ExitCode.GREEN:
        return WORDS.get(ExitCode(code), "no-verdict") if code in list(ExitCode) else "no-verdict"
    verdict = str(facts_of(report)["verdict"])
    if verdict not in ("pass", "warn"):
        raise DeliveryError(f"{report}: says {verdict}, yet the gate ended with 0; it is not this run's report")
    return verdict


def text_of(path: Path, code: int) -> str:
    if not path.exists():
        return f"**kgate judged nothing** (exit code {code}); the log of this step says why.\n"
    return contents(path).decode("utf-8", "replace")


def write_summary(path: Path, text: str) -> None:
    """Append, since the file belongs to the whole step; the runner's limit is on all of it, in bytes."""
    try:
        there = path.stat().st_size if path.exists() else 0
        fitting = fit(text, LIMIT_BYTES - SPARE_BYTES - there, lambda part: len(part.encode()))
        with path.open("a", encoding="utf-8") as file:
            file.write(fitting)
    except OSError as error:
        raise DeliveryError(f"GITHUB_STEP_SUMMARY: {path} cannot be written ({error.strerror})") from error


def write_outputs(path: Path, outputs: Mapping[str, str], limit: int = OUTPUT_LIMIT) -> None:
    """As heredocs with a delimiter nobody can guess, so that no value can start another output."""
    for name, value in outputs.items():
        if not OUTPUT_NAME.fullmatch(name):
            raise DeliveryError(f"output {name[:80]!r}: not a name of lower-case letters, digits and hyphens")
        if len(value) > limit or not value.isprintable():
            raise DeliveryError(f"output {name}: more than one line of {limit} characters; not written")
    marked = [(name, value, f"kgate-{secrets.token_hex(16)}") for name, value in outputs.items()]
    try:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}<<{end}\n{value}\n{end}\n" for name, value, end in marked)
    except (OSError, UnicodeEncodeError) as error:
        raise DeliveryError(f"GITHUB_OUTPUT: {path} cannot be written ({type(error).__name__})") from error


if __name__ == "__main__":
    import os

    sys.exit(main(sys.argv[1:], os.environ))
