"""Tells facts without end."""

from speech import begin, play, say


def misbehave(case: str) -> None:
    begin(case)
    while True:
        say("Facts", case=case, facts={"note": "x" * 100_000})


play(misbehave)
