"""Errors of JSON Schema as one sentence each, with the line that is meant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from kgate.load import schemas
from kgate.load.document import Fields, Items, Mark
from kgate.load.hints import nearest

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
    """One broken keyword of the schema: what it asked for, of which value, and where that value stands."""

    keyword: str
    asked: Any
    value: Any
    schema: Mapping[str, Any]
    mark: Mark


def check(value: Any, mark: Mark, definition: str = "") -> None:
    """Hold `value` against the manifest's schema, or one of its $defs. Raises ManifestError for the first breach."""
    breaches = [breach(error, value, mark) for error in validator(definition).iter_errors(value)]
    if breaches:
        # What is missing comes last: a mistyped key is the better answer to both.
        first = min(breaches, key=lambda b: (b.keyword == "required", b.mark.line))
        raise first.mark.error(SENTENCES.get(first.keyword, plainly)(first))


@cache
def validator(definition: str) -> Draft202012Validator:
    schema = schemas.parsed("manifest")
    if not definition:
        return Draft202012Validator(schema)
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


def breach(error: ValidationError, value: Any, mark: Mark) -> Breach:
    """`value` at `mark` is what was checked; the mark of the result is the key's where a key is at fault."""
    for key in error.absolute_path:
        mark, value = value.marks[key], value[key]
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    found = Breach(
        keyword=str(error.validator), asked=error.validator_value, value=error.instance, schema=schema, mark=mark
    )
    if "propertyNames" in error.absolute_schema_path:
        return replace(found, mark=value.marks[error.instance])
    if found.keyword == "additionalProperties":
        return replace(found, mark=value.marks[unknown_keys(found)[0]])
    return found


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


def unknown_keys(found: Breach) -> list[str]:
    return [k for k in found.value if k not in found.schema.get("properties", {})]


def unknown_key(found: Breach) -> str:
    key = unknown_keys(found)[0]
    known = found.schema.get("properties", {})
    of = f" of {noun(found.schema)}" if "title" in found.schema and "$id" not in found.schema else ""
    return f"{key!r} is not a field{of}{nearest(key, known)}"


def missing(found: Breach) -> str:
    key = next(k for k in found.asked if k not in found.value)
    return f"{key!r} is missing; add it: {found.schema['properties'][key]['description']}"


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
    if all(set(b) == {"required"} for b in branches):
        first, second = (b["required"][0] for b in branches)
        described = found.schema["properties"][first]["description"]
        return f"{first!r} is missing; add it: {described}; or {second!r}"
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
