"""Tells of a case that it was not given."""

from speech import begin, play, say


def misbehave(case: str) -> None:
    begin(case)
    say("End", case="somebody else's")


play(misbehave)
