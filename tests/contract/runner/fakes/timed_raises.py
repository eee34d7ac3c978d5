"""Says itself that the case failed."""

from talk import serve


def failed(request: dict[str, object]) -> dict[str, object]:
    said = {"reason": "raised", "text": "RuntimeError: no more registers", "detail": ""}
    return {"kind": "Failed", "case": request["case"], "rung": "latency", **said}


serve(TimeBlock=failed)
