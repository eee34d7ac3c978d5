"""Begins a case and never ends it."""

import time

from speech import begin, play


def misbehave(case: str) -> None:
    begin(case)
    time.sleep(3600)


play(misbehave)
