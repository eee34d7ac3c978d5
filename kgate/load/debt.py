"""The debt file beside a manifest: old faults, each with who has to mend it and until when."""

import json
from collections.abc import Iterable
from pathlib import Path

from kgate.errors import HostError
from kgate.load import document, form
from kgate.load.hints import nearest
from kgate.model import Owed, Place
from kgate.model.declared import RULE_NAMES

# What a change does, and what is owed already: neither is a fault of the code as it stands.
NO_DEBT = ("gate-loosened", "debt-expired")
ENDING = "-debt.yaml"
HEAD = """\
# Old faults: each is shown until it is mended, and blocks nobody before its day. Written by `kgate init --adopt`.
# Entries may go, and days may come earlier; a new entry or a later day counts when an owner has approved it.
version: 1
debt:
"""


def path_of(manifest: Path) -> Path:
    """`kgate-debt.yaml` beside `kgate.yaml`."""
    return manifest.with_name(f"{manifest.stem}{ENDING}")


def read(manifest: Path, root: Path) -> tuple[Owed, ...]:
    """Of the manifest at `manifest`, in the order written; none without a file. Raises ManifestError."""
    path = path_of(manifest)
    if not path.is_file():
        return ()
    top, _ = document.read(path, path.relative_to(root).as_posix())
    form.check(top, top.at, schema="debt")
    found: dict[tuple[str, str, str], Owed] = {}
    for line in top["debt"]:
        fields = {name: str(line[name]) for name in ("rule", "scope", "name", "owner", "expires")}
        if reason := refused(fields["rule"]):
            raise line.at.child("rule", line.at.line).error(reason)
        owed = Owed(**fields, place=Place(path=line.at.file, line=line.at.line))
        if owed.identity in found:
            raise line.at.error(f"stands in line {found[owed.identity].place.line} already; keep one")
        found[owed.identity] = owed
    return tuple(found.values())


def refused(rule: str) -> str:
    """Why no debt may name it; "" where it may."""
    if rule in NO_DEBT:
        return f"{rule} is nothing that is owed: it speaks of a change or of this file; take the entry out"
    if rule not in RULE_NAMES:
        return f"{rule!r} is no rule{nearest(rule, RULE_NAMES)}"
    return ""


def write(path: Path, debt: Iterable[Owed]) -> None:
    """One line each, in the order given. Raises HostError."""
    lines = [entry(owed) for owed in debt]
    text = HEAD + "".join(lines) if lines else HEAD.replace("debt:\n", "debt: []\n")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HostError(f"{path}: cannot be written ({error.strerror}); mend its permissions") from error


def entry(owed: Owed) -> str:
    """JSON's strings are YAML's, whatever stands in them."""
    fields = {"rule": owed.rule, "scope": owed.scope, "name": owed.name, "owner": owed.owner, "expires": owed.expires}
    plain = ("rule", "scope", "expires")
    told = (f"{key}: {text if key in plain else json.dumps(text, ensure_ascii=False)}" for key, text in fields.items())
    return f"  - {{{', '.join(told)}}}\n"
