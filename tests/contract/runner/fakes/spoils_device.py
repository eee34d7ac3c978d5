"""Fails a case, and then gives the process up, since the device did not survive it."""

import os

from speech import begin, play, say


def misbehave(case: str) -> None:
    begin(case)
    say("Failed", case=case, rung="run", reason="raised", text="CUDA error:\n illegal memory access", detail="")
    os._exit(70)


play(misbehave)
