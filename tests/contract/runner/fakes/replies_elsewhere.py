"""Puts a pipe in the place of its replies."""

import os
import time

from speech import CONTROL, begin, play


def misbehave(case: str) -> None:
    begin(case)
    time.sleep(0.2)
    (CONTROL / "replies.jsonl").unlink()
    os.mkfifo(CONTROL / "replies.jsonl")
    time.sleep(3600)


play(misbehave)
