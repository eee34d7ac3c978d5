"""Writes a line without an end."""

from speech import begin, play, write


def misbehave(case: str) -> None:
    begin(case)
    write(b'{"kind": "Facts", "case": "bad", "facts": {"note": "' + b"x" * (1 << 21))
    import time

    time.sleep(3600)


play(misbehave)
