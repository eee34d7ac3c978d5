"""Exports a link to somebody else's file."""

from speech import CONTROL
from talk import exported, serve


def misbehave(request: dict[str, object]) -> dict[str, object]:
    answer = exported(request)
    path = CONTROL / "out" / f"{request['prefix']}.bin"
    path.unlink()
    path.symlink_to("/etc/hostname")
    return answer


serve(Export=misbehave)
