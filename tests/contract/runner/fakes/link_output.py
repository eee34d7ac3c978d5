"""Puts a link to another file in the place of an output."""

from speech import CONTROL, begin, output, play, say


def misbehave(case: str) -> None:
    begin(case)
    (CONTROL / "out" / "bad.bin").symlink_to("/etc/hostname")
    output(case)
    say("End", case=case)


play(misbehave)
