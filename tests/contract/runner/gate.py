"""A gate in small, to be killed: starts the worker named by its arguments, says its pid, and waits for its answer."""

import sys
from pathlib import Path

from kgate.model import HEAD, Tree
from kgate.protocol import CaseJob
from kgate.runner.outputs import run_outputs
from kgate.runner.place import Workplace
from kgate.runner.process import fresh, worker_argv
from kgate.runner.zygote import Zygotes

FOLDER, PYTHON, FAKE = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
CASE = CaseJob(case="bad", dsl="torch", entry="lasting:sleep", args={}, keywords=False, symbols={})


def fake_argv(workplace, arm, control):
    return worker_argv(workplace, arm, control) if not FAKE else (PYTHON, FAKE, str(control))


def start(workplace, arm, control):
    child = zygotes.start(workplace, arm, control) if FAKE == "fork" else fresh(workplace, arm, control, argv=fake_argv)
    print(child.pid, flush=True)
    return child


with Zygotes((), lambda event: None) as zygotes:
    pythons, trees = dict.fromkeys(Tree, PYTHON), dict.fromkeys(Tree, FOLDER)
    place = Workplace(python=pythons, trees=trees, folder=FOLDER, device="cpu")
    run_outputs(place, HEAD, [CASE], {}, lambda event: None, start=start)
