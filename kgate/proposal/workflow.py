"""The workflow that runs the gate on GitHub, of those that come with kgate, with this repository's paths in it."""

import re
from pathlib import Path

from kgate.load import shipped
from kgate.survey import Survey

PLACE = ".github/workflows/kgate.yml"
SOURCE = "check.yml"  # one GPU; for several kinds of GPU see docs/many-gpus.md


def text(found: Survey, manifest: Path) -> str:
    """`manifest` is the file's path. Runner labels and the pinned release stay as they are: nobody here knows them."""
    made = shipped.text("workflows", SOURCE)
    made = put(made, "manifest", manifest.relative_to(found.root).as_posix())
    # An input counts from the workspace, the manifest's field from its own folder.
    inner = found.python.text.removeprefix("../" * len(found.folder.relative_to(found.root).parts))
    return put(made, "python", inner or "python3")


def put(text: str, name: str, value: str) -> str:
    """In place of the value of an input, up to the end of its line."""
    return re.sub(rf"^(\s+{name}: ).+$", lambda found: found[1] + value, text, flags=re.MULTILINE)
