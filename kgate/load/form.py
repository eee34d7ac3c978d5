"""Errors of JSON Schema as one sentence each, with the line that is meant."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from kgate.load import schemas
from kgate.load.document import Fields, Items, Mark, refusal
from kgate.load.hints import closest, nearest

KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


@dataclass(frozen=True, kw_only=True)
class Breach:
    """
    One broken keyword of the schema: what it asked for, of which value, and where that value stands.

    `key` is the one at fault: unknown, missing or misspelt; "" where the value is.
    """

    keyword: str
    asked: Any
    value: Any
    schema: Mapping[str, Any]
    mark: Mark
    key: str = ""

    @property
    def absent(self) -> bool:
        """Whether something is not there, as against something that is wrong."""
        return self.keyword == "required" or (self.keyword == "anyOf" and only_required(self.asked))


def check(value: Any, mark: Mark, definition: str = "", *, schema: str = "manifest") -> None:
    """Hold `value` against the schema, or one of its $defs. Raises ManifestError for the first breaches."""
    found = [b for error in validator(definition, schema).iter_errors(value) for b in breaches(error, value, mark)]
    meant = {(id(b.value), closest(b.key, fields_of(b))) for b in found if b.keyword == "additionalProperties"}
    # A mistyped key is the better answer to what is missing for it; what else is missing comes last.
    told = [b for b in found if not (b.absent and (id(b.value), b.key) in meant)]
    if told:
        told.sort(key=lambda b: (b.absent, b.mark.line))
        raise refusal((b.mark, SENTENCES.get(b.keyword, plainly)(b)) for b in told)


@cache
def validator(definition: str, name: str = "manifest") -> Draft202012Validator:
    schema = schemas.parsed(name)
    if not definition:
        return Draft202012Validator(schema)
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


def breaches(error: ValidationError, value: Any, mark: Mark) -> Iterator[Breach]:
    """One for each key at fault; an unknown key's mark is its own. `value` at `mark` is what was checked."""
    for key in error.absolute_path:
        mark, value = value.marks[key], value[key]
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    keyword = str(error.validator)
    asked: Any = error.validator_value
    instance: Any = error.instance

    def found(place: Mark, key: str = "") -> Breach:
        return Breach(keyword=keyword, asked=asked, value=instance, schema=schema, mark=place, key=key)

    if "propertyNames" in error.absolute_schema_path:
        yield found(value.marks[instance], instance)
    elif keyword == "additionalProperties":
        yield from (found(value.marks[key], key) for key in value if key not in schema.get("properties", {}))
    elif keyword == "required":
        yield from (found(mark, key) for key in asked if key not in value)
    elif keyword == "anyOf" and only_required(asked):
        yield found(mark, asked[0]["required"][0])
    else:
        yield found(mark)


def only_required(branches: Any) -> bool:
    """Whether an `anyOf` asks for one field or another, and for nothing else."""
    return all(set(branch) == {"required"} for branch in branches)


def shown(value: Any) -> str:
    """A value as it may stand in a sentence: short, and as YAML writes it."""
    if isinstance(value, Fields):
        return "a mapping"
    if isinstance(value, Items):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def noun(schema: Mapping[str, Any]) -> str:
    title = str(schema.get("title", "value"))
    return f"an {title}" if title[0] in "aeiou" else f"a {title}"


def fields_of(found: Breach) -> tuple[str, ...]:
    """The fields that the schema knows there."""
    return tuple(found.schema.get("properties", {}))


def unknown_key(found: Breach) -> str:
    of = f" of {noun(found.schema)}" if "title" in found.schema and "$id" not in found.schema else ""
    return f"{found.key!r} is not a field{of}{nearest(found.key, fields_of(found))}"


def missing(found: Breach) -> str:
    return f"{found.key!r} is missing; add it: {found.schema['properties'][found.key]['description']}"


def wrong_type(found: Breach) -> str:
    kinds = found.asked if isinstance(found.asked, list) else [found.asked]
    wanted = " or ".join(KINDS[k] for k in kinds)
    if kinds == ["string"] and isinstance(found.value, int | float):
        return f"{shown(found.value)} is not text; write it in quotes"
    return f"{shown(found.value)} is not {wanted}; write {meaning(found.schema)}"


def meaning(schema: Mapping[str, Any]) -> str:
    """What to write there: the field's description up to its first semicolon, and an example."""
    examples = schema.get("examples", ())
    example = f", like {shown(examples[0])}" if examples and isinstance(examples[0], str) else ""
    return str(schema.get("description", "what the schema asks for")).partition(";")[0] + example


def not_listed(found: Breach) -> str:
    known = [str(k) for k in found.asked]
    return f"{shown(found.value)} is not {noun(found.schema)}{nearest(str(found.value), known)}"


def not_matching(found: Breach) -> str:
    return f"{shown(found.value)} is not {noun(found.schema)}; write {meaning(found.schema)}"


def out_of_range(found: Breach) -> str:
    words = {
        "minimum": "less than",
        "maximum": "more than",
        "exclusiveMinimum": "not above",
    }
    than = f"{words[found.keyword]} {found.asked}"
    return f"{shown(found.value)} is {than}; write {meaning(found.schema)}"


def too_few(found: Breach) -> str:
    return f"is empty; write {meaning(found.schema)}"


def twice(found: Breach) -> str:
    items = list(found.value)
    again = next(v for i, v in enumerate(items) if v in items[:i])
    return f"{shown(again)} stands here twice; keep one"


def no_branch(found: Breach) -> str:
    """Of `anyOf`: fields of which one is needed, names and forms of which one is meant."""
    branches = found.asked
    if only_required(branches):
        return f"{missing(found)}; or {branches[1]['required'][0]!r}"
    names = [str(n) for b in branches for n in b.get("enum", ())]
    return f"{shown(found.value)} is not {noun(branches[0])}{nearest(str(found.value), names)}"


def plainly(found: Breach) -> str:
    return f"{shown(found.value)} breaks {found.keyword!r} of the schema; see `kgate schema manifest`"


SENTENCES: Mapping[str, Callable[[Breach], str]] = {
    "additionalProperties": unknown_key,
    "required": missing,
    "type": wrong_type,
    "enum": not_listed,
    "pattern": not_matching,
    "minimum": out_of_range,
    "maximum": out_of_range,
    "exclusiveMinimum": out_of_range,
    "minProperties": too_few,
    "minItems": too_few,
    "minLength": too_few,
    "uniqueItems": twice,
    "anyOf": no_branch,
}
