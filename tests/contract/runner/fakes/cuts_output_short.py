"""Keeps an accepted output open and empties it later, which would crash whoever maps it."""

import time

from speech import CONTROL, begin, output, play, say, write_values


def misbehave(case: str) -> None:
    begin(case)
    write_values(case)
    with (CONTROL / "out" / "bad.bin").open("r+b") as file:
        output(case)
        say("End", case=case)
        while (CONTROL / "out" / "bad.bin").exists():
            time.sleep(0.01)
        file.truncate(0)


play(misbehave)
