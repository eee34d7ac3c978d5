"""Puts a pipe in the place of its log, and dies."""

import os
import signal

from speech import CONTROL, begin, play


def misbehave(case: str) -> None:
    begin(case)
    (CONTROL / "log.txt").unlink()
    os.mkfifo(CONTROL / "log.txt")
    os.kill(os.getpid(), signal.SIGSEGV)


play(misbehave)
