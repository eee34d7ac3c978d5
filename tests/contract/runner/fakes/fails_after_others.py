"""Says itself that "bad" failed, but only in a process that has answered something before."""

from speech import CASES, answer, begin, play, say


def misbehave(case: str) -> None:
    if CASES[0] == case:
        answer(case)
    else:
        begin(case)
        say("Failed", case=case, rung="run", reason="raised", text="TypeError: torch is not what it was", detail="")


play(misbehave)
