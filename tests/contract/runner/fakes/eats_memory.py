"""Takes memory without end."""

from speech import begin, play


def misbehave(case: str) -> None:
    begin(case)
    held = []
    while True:
        held.append(bytearray(b"x" * (1 << 20)))


play(misbehave)
