"""How a fake worker speaks: the protocol by hand, without kgate, so that a change of the protocol shows here."""

import json
import os
import signal
import struct
import sys
import threading
from pathlib import Path

CONTROL = Path(sys.argv[1])
JOB = json.loads((CONTROL / "job.json").read_text())
CASES = [case["case"] for case in JOB["cases"]]
VALUES = (1.0, 2.0, 3.0, 4.0)


def write(data: bytes) -> None:
    with (CONTROL / "replies.jsonl").open("ab") as file:
        file.write(data)


def say(kind: str, **fields: object) -> None:
    write(json.dumps({"kind": kind, **fields}).encode() + b"\n")


def hello() -> None:
    say("Hello", pid=os.getpid(), version=1)


def begin(case: str) -> None:
    say("Begin", case=case)
    say("RungDone", case=case, rung="import", ns=7)


def output(case: str, **changes: object) -> None:
    fields = {"index": 0, "file": f"{case}.bin", "dtype": "float32", "shape": [4], "strides": [1], "device": "cpu"}
    say("Output", case=case, **{**fields, **changes})


def write_values(case: str) -> None:
    (CONTROL / "out" / f"{case}.bin").write_bytes(struct.pack("<4f", *VALUES))


def answer(case: str) -> None:
    begin(case)
    write_values(case)
    output(case)
    say("End", case=case)


def play(misbehave) -> None:
    """Answer every case well but "bad", which is left to `misbehave`."""
    hello()
    for case in CASES:
        if case == "bad":
            misbehave(case)
        else:
            answer(case)
    say("Bye", cases=len(CASES))


def watch() -> None:
    os.read(int(os.environ["KGATE_LIFELINE"]), 1)
    os.killpg(0, signal.SIGKILL)


threading.Thread(target=watch, daemon=True).start()
