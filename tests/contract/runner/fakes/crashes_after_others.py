"""Is ended by a signal at "bad", but only in a process that has answered something before."""

import os
import signal

from speech import CASES, answer, begin, play


def misbehave(case: str) -> None:
    if CASES[0] == case:
        answer(case)
    else:
        begin(case)
        os.kill(os.getpid(), signal.SIGSEGV)


play(misbehave)
