"""Writes fewer bytes than shape and dtype make."""

from speech import CONTROL, begin, output, play, say


def misbehave(case: str) -> None:
    begin(case)
    (CONTROL / "out" / "bad.bin").write_bytes(b"123")
    output(case)
    say("End", case=case)


play(misbehave)
