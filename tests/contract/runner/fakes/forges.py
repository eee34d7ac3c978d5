"""A kernel that writes its own answer before the worker does."""

from speech import answer, play, say


def misbehave(case: str) -> None:
    answer(case)
    say("End", case=case)


play(misbehave)
