"""Is ended by a signal in the middle of a case, after a last word."""

import os
import signal

from speech import begin, play


def misbehave(case: str) -> None:
    begin(case)
    print("about to touch page zero", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


play(misbehave)
