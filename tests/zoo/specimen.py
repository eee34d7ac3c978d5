"""
What a specimen's file says of itself. Nothing of it is imported here: the gate's interpreter has no torch.

The docstring says what it is, and ends in lines of `Key: value`, the last of which names the rule:

    Source:     the case (C01 …) or pattern (P01 …) of docs/zoo.md, and where it was seen
    Kind:       kernel | timing | runner | product
    Batch:      specimens of one batch share a run of the gate; `alone` has a run of its own (default: `together`)
    Needs:      gpu
    Waits for:  the piece of work that answers it, for one that is not due yet
    Missed:     why the gate does not catch it today, or why a false alarm is raised
    Must say:   a rule, or `nothing` for an honest kernel

`OPERATOR` names the module of operators/ that has fallback, arguments and workloads; `MANIFEST` is YAML that replaces
single keys of its manifest entry. A workload is timed only if it has a weight. The commit before has the same entry,
with the operator's honest custom path, unless `BEFORE` replaces keys of it.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).resolve().parent
FOLDERS = ("specimens", "honest")
KINDS = ("kernel", "timing", "runner", "product")
KEYS = ("Source", "Kind", "Batch", "Needs", "Waits for", "Missed", "Must say")
HONEST = "nothing"
TOGETHER = "together"


class BadSpecimen(Exception):
    """A file that is no specimen; the sentence says what it lacks."""


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """`said`: the docstring's lines; `entry`: the manifest's, without functions and owners; `before`: base's."""

    name: str
    path: Path
    what: str
    said: Mapping[str, str]
    operator: str
    before: Mapping[str, Any] = field(repr=False)
    entry: Mapping[str, Any] = field(repr=False)

    @property
    def honest(self) -> bool:
        return self.rule == HONEST

    @property
    def rule(self) -> str:
        return self.said["Must say"]

    @property
    def kind(self) -> str:
        return self.said["Kind"]

    @property
    def batch(self) -> str:
        named = self.said.get("Batch", TOGETHER)
        return self.name if named == "alone" else named

    @property
    def waits_for(self) -> str:
        return self.said.get("Waits for", "")

    @property
    def needs_gpu(self) -> bool:
        return self.said.get("Needs", "") == "gpu"

    @property
    def missed(self) -> str:
        return self.said.get("Missed", "")


def specimens(patterns: Iterable[str] = ("*",)) -> list[Specimen]:
    """All whose name fits one of the patterns, by folder and name. Raises BadSpecimen."""
    found = [path for folder in FOLDERS for pattern in patterns for path in (HERE / folder).glob(f"{pattern}.py")]
    return [read(path) for path in sorted(set(found))[::-1]][::-1]


def read(path: Path) -> Specimen:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    text = ast.get_docstring(tree) or ""
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("OPERATOR", "MANIFEST", "BEFORE")
    }
    what, said = sections(text, path)
    operator = constants.get("OPERATOR", "")
    if not (HERE / "operators" / f"{operator}.py").is_file():
        raise BadSpecimen(f"{path.name}: OPERATOR names no module of operators/: {operator!r}")
    plain = manifest_of(HERE / "operators" / f"{operator}.py")
    entry = {**plain, **parsed(constants.get("MANIFEST", ""))}
    before = {**entry, **parsed(constants.get("BEFORE", ""))}
    return Specimen(name=path.stem, path=path, what=what, said=said, operator=operator, before=before, entry=entry)


def sections(text: str, path: Path) -> tuple[str, dict[str, str]]:
    """The prose, and the lines of `Key: value`; a line without a key goes on with the one above."""
    prose: list[str] = []
    said: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key in KEYS:
            last = key
            said[key] = value.strip()
        elif last and line.strip():
            said[last] += f" {line.strip()}"
        elif not last:
            prose.append(line)
    lacking = [key for key in ("Source", "Kind", "Must say") if not said.get(key)]
    if lacking or last != "Must say" or said["Kind"] not in KINDS:
        raise BadSpecimen(f"{path.name}: the docstring lacks {', '.join(lacking) or 'a known kind, or ends otherwise'}")
    return "\n".join(prose).strip(), said


def manifest_of(path: Path) -> Mapping[str, Any]:
    """The MANIFEST of an operator."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MANIFEST":
            return parsed(ast.literal_eval(node.value))
    raise BadSpecimen(f"{path.name}: an operator needs a MANIFEST")


def parsed(text: str) -> Mapping[str, Any]:
    return YAML(typ="safe", pure=True).load(text) or {}


def dumped(document: Mapping[str, Any]) -> str:
    """YAML, of which JSON is a part; keys stay in order, as arguments have to."""
    return json.dumps(document, indent=1)
