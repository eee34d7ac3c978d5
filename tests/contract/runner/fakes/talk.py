"""How a fake worker answers in lockstep. A misbehaviour replaces the answer to one kind of request for case "bad"."""

import json
import socket
import struct
from collections.abc import Callable

from reach import near
from speech import CONTROL, JOB, hello

Request = dict[str, object]
Answer = dict[str, object]


def ready(request: Request) -> Answer:
    return {"kind": "Ready", "case": request["case"], "estimate_ns": 1000, "output_bytes": 16}


def times(request: Request) -> Answer:
    """1 µs a sample: so short that the gate's clock never contradicts it."""
    ns = [1000.0] * len(request["seeds"])
    notes = {"clock": 5}
    fields = {"samples_ns": ns, "call_ns": ns, "wall_ns": 9000, "method": "fake", "notes": notes}
    return {"kind": "Times", "case": request["case"], **fields}


ARRANGED = {"method": "cuda-events-flush"}  # of case "bad", the only one that is ever arranged


def arranged(request: Request) -> Answer:
    ARRANGED["method"] = str(request["method"])
    return {"kind": "Arranged", "case": request["case"], "problem": ""}


def cuda_times(request: Request) -> Answer:
    return {**times(request), "method": ARRANGED["method"]}


def exported(request: Request) -> Answer:
    """One output, the seed in its first element."""
    file = f"{request['prefix']}.bin"
    (CONTROL / "out" / file).write_bytes(struct.pack("<4I", request["seed"], 0, 0, 0))
    fields = {"file": file, "dtype": "uint32", "shape": [4], "strides": [1], "device": "cpu"}
    return {
        "kind": "Exported",
        "case": request["case"],
        "outputs": [{"case": request["case"], "index": 0, **fields}],
    }


HONEST: dict[str, Callable[[Request], Answer]] = {
    "Prepare": ready,
    "WarmUp": ready,
    "Arrange": arranged,
    "TimeBlock": times,
    "Export": exported,
    "Release": ready,
}


def serve(**misbehaviours: Callable[[Request], Answer | bytes]) -> None:
    """Keywords by kind of request; bytes are sent as they are."""
    hello()
    with socket.socket(socket.AF_UNIX) as gate:
        gate.connect(near(JOB["socket"]))
        for line in gate.makefile("rb"):
            request = json.loads(line)
            if request["kind"] == "Quit":
                return
            bad = misbehaviours.get(request["kind"]) if request["case"] == "bad" else None
            answer = (bad or HONEST[request["kind"]])(request)
            gate.sendall(answer if isinstance(answer, bytes) else json.dumps(answer).encode() + b"\n")
