"""New files that Python may take in place of a module that a kernel's sources name, so that no closure holds them."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from kgate.load.past import Blobs

COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".pth")  # found before, or run before, the source of the same name
FOLDERS = ("", "src")  # below the manifest's, where top-level modules of a product lie


def intruders(changed: Iterable[str], blobs: Blobs, folder: str) -> tuple[str, ...]:
    """
    Of the changed paths, those that base has not and that are compiled, or the first file of a top-level module.

    Which library a name stands for is not known before it is imported: `numpy.py` beside the product is taken for all
    of NumPy, and `sitecustomize.py` runs unasked. `folder`: the manifest's, from the git root; "" if it is the same.
    """
    known = {top for path in blobs.by_path if (top := top_of(path, folder))}
    new = (path for path in changed if not blobs.at(path))
    return tuple(sorted(p for p in new if p.endswith(COMPILED) or (top_of(p, folder) or "") not in {"", *known}))


def top_of(path: str, folder: str) -> str | None:
    """The top-level module that a source belongs to by its place; None if it lies nowhere such a module may."""
    inner = PurePosixPath(path)
    if inner.suffix != ".py":
        return None
    for root in (PurePosixPath(folder) / each for each in FOLDERS[::-1]):
        if inner.is_relative_to(root):
            first, *more = inner.relative_to(root).parts
            return f"{root}:{first if more else PurePosixPath(first).stem}"
    return None
