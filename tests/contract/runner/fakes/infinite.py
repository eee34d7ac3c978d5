"""Writes a number that JSON allows and a float does not hold."""

from speech import begin, play, write


def misbehave(case: str) -> None:
    begin(case)
    write(b'{"kind": "Facts", "case": "bad", "facts": {"note": 1e999}}\n')


play(misbehave)
