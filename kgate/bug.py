"""What kgate says when it breaks: a text to paste into a report, and that the author is not to blame."""

import os
import sys
import traceback

from kgate import __version__


def report(command: str) -> str:
    """Call inside an `except`: the current exception, with what a maintainer asks for first."""
    trace = traceback.format_exc()
    system = os.uname()  # not `platform`, which starts a process to find out more
    return (
        "kgate: a bug of kgate's own stopped this run; your change is not judged (exit code 3).\n"
        "Please report it with the text below; it holds no file contents and no environment variables.\n\n"
        f"    kgate {__version__}, Python {sys.version.split()[0]}, "
        f"{system.sysname} {system.release} {system.machine}\n"
        f"    command: {command}\n\n" + "".join(f"    {line}\n" for line in trace.splitlines())
    )
