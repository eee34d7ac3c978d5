"""Files that come with kgate: in the package of a wheel, beside the package in a source checkout."""

from pathlib import Path

from kgate.errors import HostError

PACKAGE = Path(__file__).resolve().parent.parent


def text(folder: str, name: str) -> str:
    for above in (PACKAGE, PACKAGE.parent):
        path = above / folder / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise HostError(f"{folder}/{name}: not in this installation of kgate; install it again")
