"""Says itself that every case but "first" failed, each time in the same words."""

from speech import CASES, answer, begin, hello, say

hello()
for case in CASES:
    if case == "first":
        answer(case)
    else:
        begin(case)
        say("Failed", case=case, rung="import", reason="import-failed", text="ImportError: no tiles", detail="")
say("Bye", cases=len(CASES))
