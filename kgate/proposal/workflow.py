"""The workflow that runs the gate on GitHub, of those that come with kgate, with this repository's paths in it."""

import re
from pathlib import Path

from kgate.errors import ManifestError
from kgate.load import manifest as manifests
from kgate.load import shipped
from kgate.survey import Survey

PLACE = ".github/workflows/kgate.yml"
ONE, MANY = "check.yml", "gpus.yml"
FOLLOWS = {
    ONE: "put your runner's labels and your pinned release in; where strangers can open pull requests take gpus.yml",
    MANY: "since the manifest names several kinds of GPU; put your pinned release in",
}


def fitting(manifest: Path) -> str:
    """The file in workflows/ that fits: by the kinds of GPU that the manifest there, if there is one, asks for."""
    try:
        kinds = manifests.load(manifest).gpus
    except ManifestError:
        kinds = {}
    return MANY if len(kinds) > 1 else ONE


def text(found: Survey, manifest: Path, source: str) -> str:
    """`manifest` is the file's path. Runner labels and the pinned release stay as they are: nobody here knows them."""
    made = shipped.text("workflows", source)
    made = put(made, "manifest", manifest.relative_to(found.root).as_posix())
    # An input counts from the workspace, the manifest's field from its own folder.
    inner = found.python.text.removeprefix("../" * len(found.folder.relative_to(found.root).parts))
    return put(made, "python", inner or "python3")


def put(text: str, name: str, value: str) -> str:
    """In place of the value of an input, up to the end of its line."""
    return re.sub(rf"^(\s+{name}: ).+$", lambda found: found[1] + value, text, flags=re.MULTILINE)
