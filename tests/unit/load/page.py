"""The tables of docs/manifest.md, made from the schema of the manifest."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kgate.load import schemas

MANIFEST = schemas.parsed("manifest")
DEFS: Mapping[str, Any] = MANIFEST["$defs"]
TABLES = {
    "top": MANIFEST,
    "kernel": DEFS["kernel"],
    "workload": DEFS["workload"],
    "tensor": DEFS["tensor"],
    "limits": DEFS["limits"],
}
UNSUPPORTED = "; not supported by this version"
KINDS = {"object": "mapping", "array": "list", "string": "text", "integer": "whole number", "boolean": "true or false"}
HEADER = ("| field | type | default | what it means | example |", "| --- | --- | --- | --- | --- |")
BAR = "\\|"
PLAIN = re.compile(r"[A-Za-z_.][A-Za-z0-9_./:+-]*")


def table(name: str) -> str:
    return "\n".join([*HEADER, *(row(*field) for field in fields(TABLES[name]))])


def fields(node: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """
    Dotted name, schema and whether it is required, of a mapping's fields and of those inside them, in the order of the
    schema. What this version refuses is left out.
    """
    for name, inner in node.get("properties", {}).items():
        schema = resolved(inner)
        if UNSUPPORTED in schema["description"]:
            continue
        yield f"{prefix}{name}", schema, name in node.get("required", ())
        yield from fields(schema, f"{prefix}{name}.")
        yield from fields(resolved(schema.get("items", {})), f"{prefix}{name}[].")


def unsupported() -> str:
    """The fields that this version refuses, by what holds them."""
    groups = []
    for title, node in TABLES.items():
        names = [name for name, inner in node["properties"].items() if UNSUPPORTED in inner.get("description", "")]
        if names:
            groups.append(f"- {'at the top' if title == 'top' else f'of a {title}'}: {', '.join(map(code, names))}")
    return "\n".join(groups)


def resolved(node: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        node = {**DEFS[node["$ref"].rpartition("/")[2]], **rest}
    return node


def row(name: str, schema: Mapping[str, Any], required: bool) -> str:
    default = "required" if required else code(schema["default"]) if schema.get("default", "") != "" else "–"
    shown = [f"`{name.rpartition('.')[2]}: {flow(value)}`" for value in examples(schema)[:1]]
    return f"| {' | '.join((f'`{name}`', kind(schema), default, schema['description'].replace('|', BAR), *shown))} |"


def examples(schema: Mapping[str, Any]) -> list[Any]:
    """Those that the schema gives, or an item of a list, or another word than the default."""
    if "examples" in schema:
        return list(schema["examples"])
    if "items" in schema:
        return [[value] for value in examples(resolved(schema["items"]))]
    return [value for value in schema.get("enum", ()) if value != schema.get("default")]


def kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(code(value) for value in schema["enum"])
    if schema.get("title") == "module:function":
        return "`module:function`"
    if schema.get("title") == "date":
        return "date"
    if "type" not in schema:
        return " or ".join(kind(resolved(branch)) for branch in schema["anyOf"])
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " or ".join(KINDS.get(name, name) for name in names)


def code(value: Any) -> str:
    return f"`{flow(value)}`"


def flow(value: Any) -> str:
    """A value as one line of YAML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
