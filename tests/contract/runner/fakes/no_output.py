"""Promises an output and writes none."""

from speech import begin, output, play, say


def misbehave(case: str) -> None:
    begin(case)
    output(case)
    say("End", case=case)


play(misbehave)
