"""Cannot prepare "bad" in a process that has prepared another case before."""

from talk import HONEST, serve

prepared = []


def first_only(request: dict[str, object]) -> dict[str, object]:
    if not prepared:
        return HONEST["Prepare"](request)
    said = {"reason": "raised", "text": "TypeError: torch is not what it was", "detail": ""}
    return {"kind": "Failed", "case": request["case"], "rung": "run", **said}


def remembered(request: dict[str, object]) -> dict[str, object]:
    prepared.append(request["case"])
    return ready(request)


ready, HONEST["Release"] = HONEST["Release"], remembered
serve(Prepare=first_only)
