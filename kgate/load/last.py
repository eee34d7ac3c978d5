"""What the results of a manifest's last run are called, below the one state folder of its repository."""

import hashlib
import re
from pathlib import Path

from kgate.load.manifest import NAME

LAST = "last"
PLAIN = re.compile(r"[A-Za-z0-9_.]+")


def folder_name(path: Path, root: Path) -> str:
    """
    `last` for the kgate.yaml at the git root, `last-libs-norm` for libs/norm/kgate.yaml.

    A path with other characters than letters, digits, _ and . gets the start of its digest as well, so that no two
    manifests share a name.
    """
    relative = path.relative_to(root)
    parts = relative.parent.parts if relative.name == NAME else relative.parts
    slug = "-".join((LAST, *(re.sub(r"[^A-Za-z0-9_.]+", "-", part) for part in parts)))
    if all(PLAIN.fullmatch(part) for part in parts):
        return slug
    # A file's name holds 255 bytes.
    return f"{slug[:80]}-{hashlib.sha256(relative.as_posix().encode()).hexdigest()[:8]}"
