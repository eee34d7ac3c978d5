"""Keeps a second name of an output, by which it could be changed later."""

import os

from speech import CONTROL, begin, output, play, say, write_values


def misbehave(case: str) -> None:
    begin(case)
    write_values(case)
    os.link(CONTROL / "out" / "bad.bin", CONTROL / "mine.bin")
    output(case)
    say("End", case=case)


play(misbehave)
