"""
The worker's command line: `worker.zip run CONTROL_DIR` and `worker.zip zygote SOCKET PRELOAD,PRELOAD`.

The environment variable KGATE_LIFELINE names an inherited pipe that ends when the gate does (see `lifeline`).
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

from kgate.protocol import LOG
from kgate.worker import job, lifeline, zygote

USAGE = "usage: worker.zip run CONTROL_DIR | worker.zip zygote SOCKET PRELOAD,PRELOAD"


def main() -> None:
    match sys.argv[1:]:
        case ["run", folder]:
            run(Path(folder))
        case ["zygote", socket, preload]:
            zygote.serve(Path(socket), tuple(filter(None, preload.split(","))), run)
        case _:
            sys.exit(USAGE)


def run(folder: Path) -> NoReturn:
    """Do the job of this control directory and end the process; never returns."""
    redirect(folder / LOG)
    lifeline.hold()
    status = job.run(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: everything is written, and a library's teardown must not turn an answer into a crash.
    os._exit(status)


def redirect(log: Path) -> None:
    """stdout and stderr to the log and stdin from nowhere, for C code and children as well."""
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    source = os.open(os.devnull, os.O_RDONLY)
    for inherited, replacement in ((0, source), (1, sink), (2, sink)):
        os.dup2(replacement, inherited)
    os.close(sink)
    os.close(source)
