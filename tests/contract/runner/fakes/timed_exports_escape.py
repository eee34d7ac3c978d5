"""Names a file outside its folder as its export."""

from talk import exported, serve


def misbehave(request: dict[str, object]) -> dict[str, object]:
    answer = exported(request)
    answer["outputs"][0]["file"] = "/etc/hostname"
    return answer


serve(Export=misbehave)
