"""Its case "bad" takes away what the other cases of its process have written, sooner than anybody can fetch it."""

from speech import CASES, begin, hello, output, say, write_values

hello()
for case in CASES:
    begin(case)
    if case == "bad" or "bad" not in CASES:
        write_values(case)
    output(case)
    say("End", case=case)
say("Bye", cases=len(CASES))
