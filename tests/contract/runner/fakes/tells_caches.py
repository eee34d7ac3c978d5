"""Tells which compile cache its job gives it."""

from speech import CASES, JOB, begin, hello, say


def answer(case: str) -> None:
    begin(case)
    say("Facts", case=case, facts={"note": JOB["env"]["TRITON_CACHE_DIR"]})
    say("End", case=case)


hello()
for case in CASES:
    answer(case)
say("Bye", cases=len(CASES))
