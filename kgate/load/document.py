"""
YAML 1.2 with a line for every value.

`on` and `no` are text, `1e-3` is a number, a date stays text, and a key that stands twice is refused.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from kgate.errors import ManifestError

SIZE_LIMIT = 1 << 20  # bytes; a manifest is read by people
SHOWN_LIMIT = 3  # errors told at once; what is behind them often goes away with them
VALUE_LIMIT = 100_000  # values of one file: aliases of aliases would otherwise grow without end
CORE = "tag:yaml.org,2002:"
# Implicit tags of YAML 1.1 that YAML 1.2 does not have: what carries them is plain text.
TEXT_TAGS = tuple(CORE + name for name in ("str", "timestamp", "merge", "value"))


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Where a value stands: the file relative to the git root, the line (from 1), the dotted path of keys."""

    file: str
    line: int
    path: str = ""

    def child(self, key: str | int, line: int) -> "Mark":
        path = f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}".lstrip(".")
        return Mark(file=self.file, line=line, path=path)

    def error(self, sentence: str) -> ManifestError:
        where = f"{self.path}: " if self.path else ""
        return ManifestError(f"{self.file}:{self.line}: {where}{sentence}")


def refusal(sentences: Iterable[tuple[Mark, str]]) -> ManifestError:
    """The first SHOWN_LIMIT of several errors, each on a line of its own."""
    errors = dict.fromkeys(str(mark.error(sentence)) for mark, sentence in sentences)
    return ManifestError("\n".join(list(errors)[:SHOWN_LIMIT]))


class Fields(dict[str, Any]):
    """A mapping of a document; `marks` knows where each of its values stands, `at` where it stands itself."""

    def __init__(self, at: Mark) -> None:
        super().__init__()
        self.at = at
        self.marks: dict[str, Mark] = {}

    def put(self, key: str, value: Any, mark: Mark) -> None:
        self[key] = value
        self.marks[key] = mark

    def fields(self, key: str) -> "Fields":
        """The mapping below `key`; an empty one where there is none."""
        value = self.get(key)
        return value if isinstance(value, Fields) else Fields(self.at)

    def marked(self) -> Iterator[tuple[str, Any, Mark]]:
        return ((key, value, self.marks[key]) for key, value in self.items())


class Items(list[Any]):
    """A list of a document, likewise."""

    def __init__(self, at: Mark) -> None:
        super().__init__()
        self.at = at
        self.marks: list[Mark] = []

    def put(self, value: Any, mark: Mark) -> None:
        self.append(value)
        self.marks.append(mark)

    def marked(self) -> Iterator[tuple[Any, Mark]]:
        return zip(self, self.marks, strict=True)


def read(path: Path, shown: str) -> tuple[Fields, bytes]:
    """The mapping that is the whole file, and the file's bytes. `shown` is its name in messages."""
    top = Mark(file=shown, line=1)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ManifestError(f"{shown}: cannot be read ({error.strerror}); name a file that can") from error
    if len(data) > SIZE_LIMIT:
        raise ManifestError(f"{shown}: {len(data)} bytes, more than {SIZE_LIMIT}; split it with include")
    node, yaml = composed(data, top)
    if node is None:
        raise ManifestError(f"{shown}: the file is empty; it needs at least `version: 1` and `kernels`")
    value = Reading(yaml=yaml).value(node, top)
    if not isinstance(value, Fields):
        raise top.error("not a mapping at the top; it needs at least `version: 1` and `kernels`")
    return value, data


def composed(data: bytes, top: Mark) -> tuple[Node | None, YAML]:
    yaml = YAML(typ="safe", pure=True)
    try:
        text = data.decode("utf-8")
        return yaml.compose(text), yaml
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Mark(file=top.file, line=line).error("not UTF-8 text; save it as UTF-8") from error
    except RecursionError as error:
        raise top.error("nested too deeply to be read; flatten it") from error
    except YAMLError as error:
        place = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = place.line + 1 if place is not None else 1
        raise Mark(file=top.file, line=line).error(
            f"not valid YAML: {problem}; mend this line or the one above"
        ) from error


@dataclass(kw_only=True)
class Reading:
    """Nodes to values. Not frozen: it counts what it has read, and knows what it is inside of."""

    yaml: YAML
    read: int = 0
    within: set[int] = field(default_factory=set)

    def value(self, node: Node, mark: Mark) -> Any:
        self.read += 1
        if self.read > VALUE_LIMIT:
            raise mark.error(f"more than {VALUE_LIMIT} values; write fewer, or use a grid")
        if isinstance(node, ScalarNode):
            return self.scalar(node, mark)
        if id(node) in self.within:
            raise mark.error("contains itself through an alias; write the value out")
        self.within.add(id(node))
        try:
            return self.mapping(node, mark) if isinstance(node, MappingNode) else self.sequence(node.value, mark)
        finally:
            self.within.discard(id(node))

    def mapping(self, node: MappingNode, mark: Mark) -> Fields:
        fields = Fields(mark)
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, ScalarNode) else ""
            if not key:
                raise Mark(file=mark.file, line=line, path=mark.path).error(
                    "a key is no text; write a name before the colon"
                )
            place = mark.child(key, line)
            if key in fields:
                first = fields.marks[key].line
                raise place.error(f"{key!r} stands here a second time, first in line {first}; keep one")
            fields.put(key, self.value(value_node, place), place)
        return fields

    def sequence(self, nodes: list[Node], mark: Mark) -> Items:
        items = Items(mark)
        for index, item in enumerate(nodes):
            place = mark.child(index, item.start_mark.line + 1)
            items.put(self.value(item, place), place)
        return items

    def scalar(self, node: ScalarNode, mark: Mark) -> Any:
        tag = str(node.tag)
        if tag in TEXT_TAGS:
            return str(node.value)
        if tag == CORE + "null":
            return None
        if tag == CORE + "bool":
            return node.value.lower() == "true"
        if tag not in (CORE + "int", CORE + "float"):
            raise mark.error(f"the tag {tag} is not supported; write the value without a tag")
        try:
            number = self.yaml.constructor.construct_object(node)
            finite = math.isfinite(number)
        except (ValueError, OverflowError) as error:
            raise mark.error(f"{node.value[:40]!r} is not a number; mend it, or put it in quotes") from error
        if not finite:
            raise mark.error(f"{node.value} is not a finite number; write a finite one")
        return number
