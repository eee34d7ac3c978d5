"""Prints without end."""

from speech import begin, play


def misbehave(case: str) -> None:
    begin(case)
    while True:
        print("x" * 65536)


play(misbehave)
