"""Names an output outside its folder."""

from speech import CONTROL, begin, output, play, say, write_values


def misbehave(case: str) -> None:
    begin(case)
    write_values(case)
    (CONTROL / "out" / "bad.bin").rename(CONTROL / "bad.bin")
    output(case, file="../bad.bin")
    say("End", case=case)


play(misbehave)
