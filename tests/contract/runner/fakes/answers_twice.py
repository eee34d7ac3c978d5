"""Answers a case, and later again."""

from speech import answer, play


def misbehave(case: str) -> None:
    answer(case)
    answer(case)


play(misbehave)
