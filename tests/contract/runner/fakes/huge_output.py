"""Promises more bytes than any machine holds, in a file with a hole of that length."""

import os

from speech import CONTROL, begin, output, play, say


def misbehave(case: str) -> None:
    begin(case)
    with (CONTROL / "out" / "bad.bin").open("wb") as file:
        os.truncate(file.fileno(), 4 << 36)
    output(case, shape=[1 << 36])
    say("End", case=case)


play(misbehave)
