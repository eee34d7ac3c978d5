"""
kgate.yaml to a Manifest: YAML with lines, then the schema, then what a schema cannot say, then frozen values.

Every error is a ManifestError of one sentence: file, line, path of keys, the offending value, the nearest valid one or
what to do. The other files of this room that it calls know one part each.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgate.errors import ManifestError
from kgate.load import document, form, nearby, placeholders, unsupported
from kgate.load.document import Fields, Mark
from kgate.load.hints import nearest
from kgate.load.kernels import kernel
from kgate.model import Accepted, Gpu, Ignored, Level, Manifest, Place, Waiver

NAME = "kgate.yaml"
VERSION = 1
TIMEOUT_S = 120.0
INCLUDED = ("version", "kernels")


@dataclass(frozen=True, kw_only=True)
class Part:
    """One file of a manifest: the main one, or one that it includes."""

    fields: Fields
    data: bytes

    @property
    def kernels(self) -> Fields:
        return self.fields.fields("kernels")


def load(path: Path) -> Manifest:
    """The manifest at `path`, or in it if it is a folder. Raises ManifestError."""
    path = located(path)
    root = root_of(path.parent)
    if not path.exists():
        raise nearby.missing(path, root, NAME)
    main = part(path, root)
    parts = (main, *included(main, path.parent, root))
    top, given = main.fields, joined(parts)
    timeout_s = float(top.fields("defaults").get("timeout_s", TIMEOUT_S))
    return Manifest(
        path=path,
        folder=path.parent,
        root=root,
        python=top.get("python", ""),
        build=top.get("build", ""),
        env=tuple(top.get("env", ())),
        baselines=top.get("baselines", "baselines"),
        policy={rule: Level[level.upper()] for rule, level in top.fields("policy").items()},
        gpus={name: gpu(form) for name, form in top.fields("gpus").items()},
        kernels=tuple(kernel(name, fields, timeout_s) for name, fields in given.items()),
        digest=hashlib.sha256(b"".join(p.data for p in parts)).hexdigest(),
        ignored=ignored(top),
        waivers=waivers(top),
        accepted=accepted(top),
    )


def gpu(form: str | Fields) -> Gpu:
    return Gpu() if isinstance(form, str) else Gpu(probation=form["probation"])


def accepted(top: Fields) -> tuple[Accepted, ...]:
    found: dict[tuple[str, str], Accepted] = {}
    for line in top.get("accepted", ()):
        place = Place(path=line.at.file, line=line.at.line)
        entry = Accepted(
            case=line["case"],
            rule=line["rule"],
            bound=float(line["bound"]),
            reason=line["reason"],
            until=line["until"],
            place=place,
        )
        if entry.identity in found:
            raise line.at.error(f"stands in line {found[entry.identity].place.line} already; keep one")
        found[entry.identity] = entry
    return tuple(found.values())


def waivers(top: Fields) -> tuple[Waiver, ...]:
    """Of GPUs that the manifest asks for: another one is a typing error, and would waive nothing."""
    known = top.fields("gpus")
    found: dict[str, Waiver] = {}
    for line in top.get("waivers", ()):
        name, mark = line["gpu"], line.marks["gpu"]
        if name not in known:
            raise mark.error(f"{name!r} is not among `gpus`{nearest(name, list(known))}")
        if name in found:
            raise mark.error(f"{name!r} is waived in line {found[name].place.line} already; keep one")
        place = Place(path=line.at.file, line=line.at.line)
        found[name] = Waiver(gpu=name, reason=line["reason"], expires=line["expires"], place=place)
    return tuple(found.values())


def ignored(top: Fields) -> tuple[Ignored, ...]:
    """The first of two lines would count, and the second be compared with base's."""
    found: dict[str, Ignored] = {}
    for line in top.get("ignore", ()):
        pattern = line["path"]
        if pattern in found:
            raise line.marks["path"].error(
                f"{pattern!r} is ignored in line {found[pattern].place.line} already; keep one"
            )
        place = Place(path=line.at.file, line=line.at.line)
        found[pattern] = Ignored(pattern=pattern, reason=line["reason"], expires=line["expires"], place=place)
    return tuple(found.values())


def located(path: Path) -> Path:
    """
    The manifest's file, absolute; `path` may be the folder it lies in. Raises ManifestError where a link within the
    repository leads to it: base is asked for its own at the same path, and a link made by the change would hide it.
    """
    asked = Path(os.path.abspath(path))  # noqa: PTH100  links are to be seen
    asked = asked / NAME if asked.is_dir() else asked
    found, root = asked.resolve(), root_of(asked.parent)
    if found != root.resolve() / asked.relative_to(root):
        shown = asked.relative_to(root).as_posix()
        raise ManifestError(f"{shown}: is reached through a link; put the file itself there, or name it by --manifest")
    return found


def root_of(folder: Path) -> Path:
    """The nearest folder at or above `folder` that holds `.git` (a file in a work tree of its own), else itself."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), folder)


def part(path: Path, root: Path) -> Part:
    fields, data = document.read(path, path.relative_to(root).as_posix())
    version = fields.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        sentence = f"this kgate reads version {VERSION}, not {form.shown(version)}; write {VERSION}"
        raise fields.marks["version"].error(sentence)
    form.check(fields, fields.at)
    unsupported.refuse(fields)
    placeholders.refuse(fields)
    return Part(fields=fields, data=data)


def included(main: Part, folder: Path, root: Path) -> Iterator[Part]:
    if "include" not in main.fields:
        return
    for name, mark in main.fields["include"].marked():
        path = (folder / name).resolve()
        if not path.is_relative_to(root):
            raise mark.error(f"{name!r} lies outside the repository; include a file below the git root")
        if not path.is_file():
            raise mark.error(f"{name!r} does not exist; name a file relative to {main.fields.at.file}")
        more = part(path, root)
        for key, _, place in more.fields.marked():
            if key not in INCLUDED:
                raise place.error(f"an included file holds only 'version' and 'kernels'; move this to {mark.file}")
        yield more


def joined(parts: tuple[Part, ...]) -> Fields:
    """The kernels of all files. Raises ManifestError for a name that two of them have, and for no kernel at all."""
    top = parts[0].fields
    found = Fields(top.marks["kernels"])
    for each in parts:
        for name, fields, mark in each.kernels.marked():
            if name in found:
                first: Mark = found.marks[name]
                raise mark.error(f"there is a kernel {name!r} in {first.file}:{first.line} already; rename one")
            found.put(name, fields, mark)
    if not found:
        raise found.at.error("names no kernel; add one")
    return found
