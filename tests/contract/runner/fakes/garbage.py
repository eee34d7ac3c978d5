"""Writes something into its replies that is none."""

from speech import begin, play, write


def misbehave(case: str) -> None:
    begin(case)
    write(b"\x80\x04\x95pickle me\n")


play(misbehave)
