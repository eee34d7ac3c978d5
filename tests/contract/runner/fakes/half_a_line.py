"""Dies while it writes a reply."""

import os
import signal

from speech import begin, play, write


def misbehave(case: str) -> None:
    begin(case)
    write(b'{"kind": "Output", "case": "ba')
    os.kill(os.getpid(), signal.SIGABRT)


play(misbehave)
