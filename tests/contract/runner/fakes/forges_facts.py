"""Writes facts of a shape that no rule can read."""

from speech import begin, play, say


def misbehave(case: str) -> None:
    begin(case)
    say("Facts", case=case, facts={"loaded-files": 5})
    say("End", case=case)


play(misbehave)
