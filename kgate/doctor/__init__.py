"""
`kgate doctor`: what of this machine a run would use, what is missing or does not fit, what will run here, and whether
the repository's workflows keep what they promise.

    options -> manifest, if there is one -> what is seen of machine and worker -> lines, and prospects of kernels
            -> workflows and settings of the repository -> lines
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kgate.doctor import repository
from kgate.doctor.lines import Line, State, lines
from kgate.doctor.machine import Seen, seen
from kgate.doctor.prospects import Prospect, prospects
from kgate.errors import HostError, ManifestError
from kgate.load import manifest as manifests
from kgate.model import Manifest

__all__ = ["Examination", "Line", "Prospect", "Seen", "State", "examine"]

UNREAD = "no kernel is known while the manifest cannot be read, and no command that needs it will run"
MEND = "mend that line; `kgate schema manifest` prints what may stand there"


@dataclass(frozen=True, kw_only=True)
class Examination:
    """
    `manifest` is the path whose kernels `prospects` tells of; "" where none was found, and DSLs stand for them.
    `repository`: of its workflows and settings; () where this is no git repository.
    """

    manifest: str
    lines: Sequence[Line]
    prospects: Sequence[Prospect]
    repository: Sequence[Line] = ()


def examine(path: Path | None, python: str) -> Examination:
    """`path` None is the manifest here, if there is one. Raises ManifestError where one that is named is not there."""
    manifest, trouble = declared(path)
    found = seen(manifest, python)
    root = manifest.root if manifest else manifests.root_of(Path.cwd())
    shown = str(manifest.path.relative_to(manifest.root)) if manifest else ""
    first = [Line(topic="manifest", state=State.LOOK, found=trouble, why=UNREAD, fix=MEND)] if trouble else []
    return Examination(
        manifest=shown,
        lines=[*first, *lines(found, {kernel.dsl for kernel in manifest.kernels} if manifest else None)],
        prospects=prospects(found, manifest),
        repository=repository.examined(root, shown),
    )


def declared(path: Path | None) -> tuple[Manifest | None, str]:
    """The manifest, or what is wrong with it; None and "" where none was named and none is here."""
    try:
        there = manifests.located(path or Path(manifests.NAME))
    except FileNotFoundError as error:
        raise HostError("the current folder is gone; change to one that is there") from error
    if path is None and not there.exists():
        return None, ""
    try:
        return manifests.load(there), ""
    except ManifestError as error:
        if not there.is_file():
            raise
        return None, str(error)
