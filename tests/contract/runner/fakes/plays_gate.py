"""Gives a reason that only the gate can know."""

from speech import begin, play, say


def misbehave(case: str) -> None:
    begin(case)
    say("Failed", case=case, rung="run", reason="hung", text="it was the machine", detail="")


play(misbehave)
