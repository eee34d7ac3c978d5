"""Puts a pipe in the place of an output, so that whoever opens it waits for ever."""

import os

from speech import CONTROL, begin, output, play, say


def misbehave(case: str) -> None:
    begin(case)
    os.mkfifo(CONTROL / "out" / "bad.bin")
    output(case)
    say("End", case=case)


play(misbehave)
