"""Begins a case before its turn, inside another."""

from speech import begin, play


def misbehave(case: str) -> None:
    begin(case)
    begin("last")


play(misbehave)
